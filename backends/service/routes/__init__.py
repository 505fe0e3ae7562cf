"""The routes of the service, with one file for each type of client."""
