"""Whose turn it is, how long others wait for theirs, and who is told to come later."""
