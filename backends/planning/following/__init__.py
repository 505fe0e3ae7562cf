"""Questions that follow a workflow and say only what is different: read anew as whole ones, or its
steps shown in another way.
"""
