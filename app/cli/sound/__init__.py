"""Commands of sound: write down, say, talk."""
