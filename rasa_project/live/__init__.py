"""The bot as running processes, and conversations held with it over its REST channel."""
