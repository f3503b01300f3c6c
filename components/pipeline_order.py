"""Where in the pipeline our components must be: the rewriter in front of all that reads the text, the aligner behind it."""

from __future__ import annotations

from importlib import import_module

from rasa.engine.graph import GraphComponent, GraphSchema
from rasa.nlu.classifiers.classifier import IntentClassifier
from rasa.nlu.classifiers.fallback_classifier import FallbackClassifier
from rasa.nlu.extractors.extractor import EntityExtractorMixin
from rasa.nlu.featurizers.featurizer import Featurizer
from rasa.nlu.tokenizers.tokenizer import Tokenizer
from rasa.shared.exceptions import InvalidConfigException

from grice.middleware.settings import ReadingMode


def _if_there(module: str, name: str) -> tuple[type, ...]:
    try:
        return (getattr(import_module(module), name),)
    except ImportError:
        return ()


ALIGNER = "EntityAligner"
GENERATORS = _if_there("rasa.dialogue_understanding.generator", "LLMBasedCommandGenerator")
"""Rasa Pro's command generators; Rasa 3.6 has none."""
SPACY = _if_there("rasa.nlu.utils.spacy_utils", "SpacyNLP")
"""Without spaCy Rasa Pro cannot import it, and no pipeline can have it."""
READS_TEXT = (*SPACY, Tokenizer, Featurizer, IntentClassifier, EntityExtractorMixin, *GENERATORS)


def check_order(schema: GraphSchema, rewriter: str, mode: ReadingMode) -> None:
    """Return if the pipeline of a training graph, whose nodes are in the order of `config.yml`, can work with `rewriter`.

    What is not trained (such as the Duckling extractor) has no node in a training graph and is not seen.

    Raises:
        InvalidConfigException: something that reads the text is in front of it, or no `EntityAligner` is behind them all.
    """
    classes = list(dict.fromkeys(node.uses for node in schema.nodes.values()))
    names = [used.__name__ for used in classes]
    readers = [place for place, used in enumerate(classes) if issubclass(used, READS_TEXT) and used.__name__ != ALIGNER]
    own = names.index(rewriter)
    if readers and readers[0] < own:
        first = names[readers[0]]
        raise InvalidConfigException(
            f"{rewriter}: it is listed after {first}, which would read the text before it is rewritten; "
            f"allowed: in front of every tokenizer, featurizer, classifier and extractor. Move it to the top of the pipeline."
        )
    last_extractor = max((place for place in readers if issubclass(classes[place], EntityExtractorMixin)), default=own)
    if ALIGNER not in names[max(own, last_extractor) :]:
        raise InvalidConfigException(
            f"{rewriter}: no {ALIGNER} follows it and the entity extractors, so offsets of entities would refer to the "
            f"rewritten text; add `- name: grice.components.{ALIGNER}` at the end of the pipeline."
        )
    for place in readers:
        if issubclass(classes[place], GENERATORS):
            _check_generator(names, place, rewriter, mode)


def _check_generator(names: list[str], place: int, rewriter: str, mode: ReadingMode) -> None:
    """Return if the command generator at that place reads each message once, and as it was rewritten."""
    if ALIGNER not in names[place:]:
        raise InvalidConfigException(
            f"{rewriter}: {ALIGNER} is listed before {names[place]}, which would read the text as it was; allowed: {ALIGNER} "
            f"behind every command generator. Move it to the end of the pipeline."
        )
    if mode == "blend":
        raise InvalidConfigException(
            f"{rewriter}: mode: got 'blend', by which {names[place]} would ask its language model twice a message; allowed in "
            f"front of a command generator: append, replace. Add `mode: append`."
        )


def check_behind_nlu(schema: GraphSchema, resolver: str) -> None:
    """Return if all that finds entities or intents is in front of `resolver`; a `FallbackClassifier` may follow, as it only doubts.

    Raises:
        InvalidConfigException: something is behind it.
    """
    check_behind_extractors(schema, resolver)
    for used in _behind(schema, resolver):
        if issubclass(used, IntentClassifier) and not issubclass(used, FallbackClassifier):
            raise InvalidConfigException(
                f"{resolver}: {used.__name__} is listed after it and would replace the intent; allowed: behind every intent "
                f"classifier. Move it towards the end of the pipeline."
            )


def check_behind_extractors(schema: GraphSchema, resolver: str) -> None:
    """Return if all that finds entities is in front of `resolver` in the pipeline of a training graph.

    Raises:
        InvalidConfigException: something is behind it.
    """
    for used in _behind(schema, resolver):
        if issubclass(used, EntityExtractorMixin) or used.__name__ == ALIGNER:
            raise InvalidConfigException(
                f"{resolver}: {used.__name__} is listed after it, so it would not know which entities that finds; "
                f"allowed: behind every entity extractor and {ALIGNER}. Move it towards the end of the pipeline."
            )


def _behind(schema: GraphSchema, resolver: str) -> list[type[GraphComponent]]:
    """The classes of a training graph's nodes from `resolver` on."""
    classes = [node.uses for node in schema.nodes.values()]
    return classes[[used.__name__ for used in classes].index(resolver) :]


def check_no_fallback_before(schema: GraphSchema, aligner: type[GraphComponent]) -> None:
    """Return if no `FallbackClassifier` is in front of the aligner in a prediction graph; training graphs do not show it.

    Raises:
        InvalidConfigException: one is.
    """
    for node in schema.nodes.values():
        before = node.needs.get("messages") if node.uses is aligner else None
        while before in schema.nodes:
            if issubclass(schema.nodes[before].uses, FallbackClassifier):
                raise InvalidConfigException(
                    f"{aligner.__name__}: FallbackClassifier is listed before it, so it would doubt the intent of half a reading; "
                    f"allowed: FallbackClassifier behind {aligner.__name__}. Move it to the end of the pipeline and train again."
                )
            before = schema.nodes[before].needs.get("messages")
