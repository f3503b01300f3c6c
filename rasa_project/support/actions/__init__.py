"""The action server of the help desk: its one action asks the user back."""
