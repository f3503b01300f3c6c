"""Rasa 3.6 adapters: the only code that imports rasa. Name a class by its path in `config.yml` or `endpoints.yml`."""
