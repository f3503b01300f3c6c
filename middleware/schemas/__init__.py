"""The menu of a bot, read from what the bot has: a Rasa domain, an SGD schema, the tools of an agent, or Grice's own format.

from grice.middleware.schemas import read_schema
"""

from grice.middleware.schemas.formats import FORMATS, SchemaFormat, read_schema
from grice.middleware.schemas.rasa import schema_of_rasa
from grice.middleware.schemas.sgd import schema_of_sgd
from grice.middleware.schemas.tools import schema_of_tools

__all__ = [
    "FORMATS",
    "SchemaFormat",
    "read_schema",
    "schema_of_rasa",
    "schema_of_sgd",
    "schema_of_tools",
]
