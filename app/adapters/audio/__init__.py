"""Where sound comes out: a file; a loudspeaker is the window's."""
