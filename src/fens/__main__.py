"""The command line as `python -m fens`, where the program is not on the path."""

import sys

from .cli.app import main

if __name__ == "__main__":
    sys.exit(main())
