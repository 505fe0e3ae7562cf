"""The operating system: sound, global shortcut, keyring, shared files."""
