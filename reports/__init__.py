"""Results of verification runs and everything they turn into; imports no other package of this project."""
