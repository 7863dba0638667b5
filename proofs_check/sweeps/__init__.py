"""Grids of command lines, run where there is room, kept in one file, and taken up again where they ended."""
