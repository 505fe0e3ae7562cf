"""The parameters of a widget as fields below its title bar."""
