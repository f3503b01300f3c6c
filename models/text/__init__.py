"""Words and their written form: what every model may know of a text without a network."""

from grice.models.text.template import TARGET_FORMS, EncodedSource, SourceFormat, TargetForm, encode_source
from grice.models.text.verbatim import says
from grice.models.text.wording import FUNCTION_WORDS, Wording, sentences

__all__ = [
    "FUNCTION_WORDS",
    "TARGET_FORMS",
    "EncodedSource",
    "SourceFormat",
    "TargetForm",
    "Wording",
    "encode_source",
    "says",
    "sentences",
]
