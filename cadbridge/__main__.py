"""`python -m cadbridge` is the command `cadbridge`."""

import sys

from cadbridge.cli import main

sys.exit(main())
