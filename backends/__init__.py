"""The model service: models and the local copilot. It does not use Qt and never touches the user's
files.
"""
