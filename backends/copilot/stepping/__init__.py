"""Steps a model chooses, one at a time, where the rules leave words of a request over; the terminal
runs each.
"""
