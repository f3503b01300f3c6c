"""Face acts, and what speakers in persuasions intend."""
