"""What the service can find in a turn: declared once, known everywhere.

From a `Capability` follow its route with `items`, limits, problem details and documentation, its queue and metrics, its settings
and flags, its entry in `/v1/models`, the client's decoding, and the backends of the Rasa components. Nothing here needs pydantic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from grice.middleware.capabilities.codec import decode, encode
from grice.middleware.monitor import MonitorSettings
from grice.middleware.settings import RUNTIME, PipelineSettings
from grice.models.dialogue import Dialogue
from grice.models.errors import GriceError, InputError

Asked = TypeVar("Asked")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Loading:
    """What a capability's model is made of.

    Attributes:
        model: the name of a shipped model or the path of a folder.
        pipeline: how models run, and how turns are treated.
        monitor: how responses are scored.
        loaded: the models of the capabilities that this one needs.
        fields: what each item says beside the dialogue, where it is the same for all.
    """

    model: str = ""
    pipeline: PipelineSettings = field(default_factory=PipelineSettings)
    monitor: MonitorSettings = field(default_factory=MonitorSettings)
    loaded: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


def encode_dialogue(dialogue: Dialogue) -> dict[str, object]:
    """A dialogue as an item of a request."""
    return {"turns": [{"speaker": turn.speaker, "text": turn.text} for turn in dialogue.turns]}


def _item(asked: Any) -> dict[str, object]:
    """A dialogue, or a frozen dataclass with a dialogue in it, as an item of a request."""
    if isinstance(asked, Dialogue):
        return encode_dialogue(asked)
    return {**{name: value for name, value in encode(asked).items() if name != "dialogue"}, **encode_dialogue(asked.dialogue)}


@dataclass(frozen=True)
class Capability(Generic[Asked, Result]):
    """One thing that the service finds.

    Attributes:
        name: of the route `/v1/NAME`, and in the registry.
        result: what is found: a frozen dataclass. Without a `wire` of its own it travels as it is.
        load: makes the model, which has `predict(list) -> list`.
        summary: a line for the documentation.
        description: more of it.
        title: the model in words, as in "No slot resolver is loaded here".
        tag: the section of the documentation.
        operation: the operation's name in the API; default: the capability's.
        model: what is loaded by default; there is a setting `NAME_model` for it. Empty: other settings say it.
        switch: the setting that leaves it out, `--no-SWITCH`; empty: it cannot be left out.
        without: what is left out then, in words.
        needs: capabilities whose models this one is made of.
        reads: the pipeline's settings that its model depends on, beside those of how models run.
        shared: callers in one process ask it the same one after the other, so its results are remembered.
        asks: the type, or a tuple of types, of what its model is asked: a dialogue, or a frozen dataclass with a field `dialogue`;
            without a `wire` an item has its other fields.
        encode: what is asked as an item of a request; default: the dialogue and the other fields.
        decode: the row of an answer as a result, for what was asked; default: by the type hints of `result`.
        give_up: the result where the model could not be asked; None: the error is raised.
        parts: name and model of each part, for `/v1/models`; default: the model itself, by the capability's name.
        wire: the module that says how it travels, where that is more than `result` and its examples say; its class `Route`.
        examples: requests for the documentation, each with `summary` and `value`; a test posts them.
        example: an answer to a single item.
    """

    name: str
    result: type[Any]
    load: Callable[[Loading], Any]
    summary: str
    description: str = ""
    title: str = "model"
    tag: str = "models"
    operation: str = ""
    model: str = ""
    switch: str = ""
    without: str = ""
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    shared: bool = False
    asks: Any = Dialogue
    encode: Callable[[Asked], dict[str, object]] = _item
    decode: Callable[[object, Asked], Result] | None = None
    give_up: Callable[[Asked, GriceError], Result] | None = None
    parts: Mapping[str, Callable[[Any], object]] | None = None
    wire: str = ""
    examples: Mapping[str, Any] = field(default_factory=dict)
    example: Mapping[str, Any] = field(default_factory=dict)

    @property
    def path(self) -> str:
        """Its route."""
        return f"/v1/{self.name}"

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of its models in `/v1/models`."""
        return (self.name,) if self.parts is None else tuple(self.parts)

    def models(self, model: Any) -> dict[str, object]:
        """Its models by role."""
        return {self.name: model} if self.parts is None else {role: part(model) for role, part in self.parts.items()}

    def read(self, row: object, asked: Asked) -> Result:
        """A row of the service's answer.

        Raises:
            ServiceError: it does not have the shape of one.
        """
        if self.decode is not None:
            return self.decode(row, asked)
        found: Result = decode(self.result, row, self.name)
        return found

    def check(self, asked: object) -> None:
        """Refuse what cannot be asked.

        Raises:
            InputError: it is not a list of what the model reads.
        """
        allowed = " or ".join(each.__name__ for each in (self.asks if isinstance(self.asks, tuple) else (self.asks,)))
        if isinstance(asked, str) or not isinstance(asked, Sequence):
            raise InputError(f"what {self.name} is asked", asked, f"a list of {allowed}")
        for each in asked:
            if not isinstance(each, self.asks):
                raise InputError(f"what {self.name} is asked", each, allowed)

    def pipeline_settings(self, settings: PipelineSettings) -> PipelineSettings:
        """`settings` with defaults for all that its model does not depend on, so that callers who agree on the rest share it."""
        return PipelineSettings(**{name: getattr(settings, name) for name in (*RUNTIME, *self.reads)})
