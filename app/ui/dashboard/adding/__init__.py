"""How a widget of a backend comes to the dashboard."""
