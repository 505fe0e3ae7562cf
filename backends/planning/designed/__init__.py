"""Interfaces a terminal designed: which of them a request asks for."""
