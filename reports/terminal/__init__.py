"""Results and explanations on a terminal, or as plain text."""
