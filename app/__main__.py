"""Start Deskpilot from the shell."""

import sys
from pathlib import Path

if not sys.flags.safe_path and not Path(__file__).is_relative_to(Path(sys.path[0]).resolve()):
    del sys.path[0]  # `python -m` puts the current folder there, and anyone may have written to it

from app.cli import main

if __name__ == "__main__":
    sys.exit(main())
