"""FlexAI models on several machines, by Ray Serve: a pool for the service, and its nodes.

Ray is optional (`pip install "deskpilot[cluster]"`) and imported here and nowhere else; importing
this package alone does not import it. Ray reads its settings when it is imported, so `settings.py`
comes before every import of it.
"""
