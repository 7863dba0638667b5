"""Results as LaTeX documents."""
