"""What the system has: sound, a global key, the keyring, files that several programs share."""
