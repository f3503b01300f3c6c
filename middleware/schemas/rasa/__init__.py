"""The menu of a Rasa 3.6 bot, from its domain and its training examples."""

from grice.middleware.schemas.rasa.menu import schema_of_rasa

__all__ = ["schema_of_rasa"]
