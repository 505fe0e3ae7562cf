"""Questions that follow a workflow and say only what is different: read again as whole ones, or its
steps shown in another way.
"""
