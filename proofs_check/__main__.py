"""``python -m proofs_check``."""

from proofs_check.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
