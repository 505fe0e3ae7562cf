"""The operating system: sound, the global shortcut, the keyring and shared files."""
