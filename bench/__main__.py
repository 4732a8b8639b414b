"""`python -m bench`: the command where no script of it is on the path."""

import sys

from bench.cli import main

if __name__ == "__main__":
    sys.exit(main())
