"""The command line: its options, commands and outputs."""
