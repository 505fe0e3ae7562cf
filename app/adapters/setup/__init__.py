"""What is set up once and read by every start: files beside the store."""
