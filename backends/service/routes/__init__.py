"""The routes of the service, one file for each type of client."""
