"""A turn in direct form, with neither gate nor guard, or in indirect form, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grice.middleware.capabilities.capability import Capability, Loading
from grice.middleware.capabilities.codec import decode, field_of
from grice.middleware.responses.softening import Unsoftened
from grice.models.dialogue import Dialogue
from grice.models.protocols import Model
from grice.models.results import Rewrite
from grice.models.rewriter.rewriter import load_rewriter


@dataclass(frozen=True)
class Rewriters:
    """A model for each form: `direct` to understand a user's turn, `indirect` to soften a bot's reply; the service checks that."""

    direct: Model[Rewrite]
    indirect: Model[Rewrite]

    def predict(self, dialogues: Sequence[Dialogue]) -> Sequence[Rewrite]:
        """The direct form of the last turn of each dialogue, in order."""
        return self.direct.predict(dialogues)


def _read(row: object, asked: Dialogue) -> Rewrite:
    refused = field_of(row, "refused") is not None
    found: Rewrite = decode(Unsoftened if refused else Rewrite, row)
    return found


def _load(wanted: Loading) -> Rewriters:
    softener = load_rewriter(wanted.pipeline.rewriter_model, form="indirect", runtime=wanted.pipeline.runtime)
    return Rewriters(wanted.loaded["turns"].rewriter, softener)


REWRITE = Capability[Dialogue, Rewrite](
    name="rewrite",
    result=Rewrite,
    load=_load,
    summary="Turns in direct form, or in indirect form",
    title="rewriter",
    needs=("turns",),
    reads=("rewriter_model",),
    decode=_read,
    parts={"rewriter": lambda model: model.direct, "softener": lambda model: model.indirect},
    wire="grice.middleware.service.capabilities.rewrite",
)
