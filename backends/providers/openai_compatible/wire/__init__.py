"""HTTP: bounded, stoppable, and every failure one of ours."""
