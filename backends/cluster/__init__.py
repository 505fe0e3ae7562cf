"""FlexAI models on several machines through Ray Serve: a pool for the service, and the pool's
nodes.

Ray is optional (`pip install "deskpilot[cluster]"`) and imported only by modules of this package,
not by importing the package itself. Ray reads its settings when it is imported, so `settings.py`
comes before every import of it.
"""
