"""FlexAI models on several machines through Ray Serve: a pool for the service, and its nodes.

Ray is optional (`pip install "deskpilot[cluster]"`) and imported only in this package, but not by
importing the package itself. Ray reads its settings when it is imported, so `settings.py` comes
before every import of it.
"""
