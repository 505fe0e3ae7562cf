"""The models page: models that are loaded, on this machine, from providers, or available to
download.
"""
