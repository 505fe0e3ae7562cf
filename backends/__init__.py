"""The model service: models and the local copilot. It does not use Qt, and it never touches the
user's files.
"""
