"""Data that ships with Deskpilot."""

from pathlib import Path

FOLDER = Path(__file__).parent
