"""The terminal: keeps the conversation, owns the data, does every side effect."""

import sys

# httpx's own command line, which nobody runs here, would bring rich, click and Pygments: 6 MB and a hundred modules.
sys.modules.setdefault("httpx._main", None)  # pyright: ignore[reportArgumentType]
