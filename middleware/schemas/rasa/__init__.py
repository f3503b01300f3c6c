"""The menu of a Rasa 3.6 bot, from its domain and its training examples."""

from grice.middleware.schemas.rasa.menu import mappings_of_rasa, schema_of_rasa

__all__ = ["mappings_of_rasa", "schema_of_rasa"]
