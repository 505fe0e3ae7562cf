"""The models page: models that are loaded, on this machine, at providers, or available to
download.
"""
