"""``python -m proofs_check``."""

from proofs_check.command_line.commands import main

if __name__ == "__main__":
    raise SystemExit(main())
