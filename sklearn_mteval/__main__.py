"""Run the command line with ``python -m sklearn_mteval``."""

import sys

from sklearn_mteval.cli import main

sys.exit(main())
