"""Words, numbers and formulas of a result as text."""
