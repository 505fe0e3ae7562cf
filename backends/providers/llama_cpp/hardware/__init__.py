"""What llama.cpp computes on: the cores, the GPUs there are, and how much of a model fits."""
