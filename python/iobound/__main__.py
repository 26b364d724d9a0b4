"""The program ``iobound`` without its load generator: ``python -m iobound``, and the command that pip installs."""

import sys

from ._iobound import program


def main() -> int:
    """Does what the command line asks, and returns the exit code."""
    return program(["iobound", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
