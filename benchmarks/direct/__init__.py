"""The DIRECT paper's tasks, and what a plain NLU makes of its turns."""
