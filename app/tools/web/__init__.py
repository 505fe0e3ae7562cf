"""Servers of the web, asked at addresses that were checked."""
