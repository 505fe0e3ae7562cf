"""The offline job that designs interfaces: its model, its steps, and how it is begun and stopped."""
