"""Utterances of persuasions and which intention annotators see in them: file format, majority vote and agreement.

File: JSON lines, one a dialogue: `{"dialogue_id": …, "utterances": [{"role": "persuader" or "persuadee", "text": …,
"face_act": one of `FACE_ACTS`, or null where it is not known, "descriptions": {"new": [an id or null for each annotator, …],
"old": […]}}, …]}`. `descriptions` may be left out, or either wording in it; other keys are not read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from grice.benchmarks.stats.krippendorff import alpha
from grice.models.data.face_acts import FaceActDialogue
from grice.models.data.files import in_format
from grice.models.dialogue import check_text, plain_text
from grice.models.errors import DataCorrupt, DataNotFound
from grice.models.face_acts.descriptions import DESCRIPTIONS, PHRASINGS, IntentionDescription, Phrasing
from grice.models.results import FACE_ACTS, PERSUASION_ROLES, FaceAct, PersuasionRole

FORMAT = "annotated persuasions"
REPAIR = "correct it; `grice persuasion sheet` writes such a file"


@dataclass(frozen=True)
class AnnotatedUtterance:
    """One utterance.

    Attributes:
        face_act: None where it is not known.
        votes: for each wording, the id that each annotator chose, None for one who chose nothing.
    """

    role: PersuasionRole
    text: str
    face_act: FaceAct | None
    votes: Mapping[Phrasing, tuple[str | None, ...]] = field(default_factory=dict)

    def candidates(self, wording: Phrasing) -> tuple[IntentionDescription, ...]:
        """The descriptions that annotators choose from."""
        return DESCRIPTIONS.candidates(wording, self.role, self.face_act) if self.face_act else ()

    def intention(self, wording: Phrasing) -> IntentionDescription | None:
        """The one description of its role and face act, or else what more than half of those who chose anything chose."""
        candidates = self.candidates(wording)
        if len(candidates) == 1:
            return candidates[0]
        votes = Counter(vote for vote in self.votes.get(wording, ()) if vote)
        return next((each for each in candidates if 2 * votes[each.id] > votes.total()), None)


@dataclass(frozen=True)
class AnnotatedDialogue:
    """A dialogue. One speaker may have several utterances in a row."""

    dialogue_id: str
    utterances: tuple[AnnotatedUtterance, ...]


def without_votes(dialogues: Sequence[FaceActDialogue]) -> list[AnnotatedDialogue]:
    """The dialogues of the face acts, which nobody annotated with descriptions."""
    return [
        AnnotatedDialogue(
            dialogue.dialogue_id, tuple(AnnotatedUtterance(said.role, said.text, said.face_act) for said in dialogue.utterances)
        )
        for dialogue in dialogues
    ]


def read_annotations(path: Path) -> list[AnnotatedDialogue]:
    """The dialogues in a file.

    Raises:
        DataNotFound: there is no such file.
        DataCorrupt: a line is not in the format, or annotators chose a description of another role or face act; says where.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # a text may hold other ends of lines
    except OSError as error:
        raise DataNotFound(f"annotations {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DataCorrupt(f"{path}: not UTF-8; {REPAIR}") from error
    dialogues: dict[str, AnnotatedDialogue] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        with in_format(FORMAT, f"{path}, line {number}", REPAIR):
            entry = json.loads(line)
            dialogue = AnnotatedDialogue(str(entry["dialogue_id"]), tuple(map(_utterance, entry["utterances"])))
            if dialogue.dialogue_id in dialogues:
                raise ValueError(f"dialogue {dialogue.dialogue_id} is twice there")
            dialogues[dialogue.dialogue_id] = dialogue
    if not dialogues:
        raise DataCorrupt(f"{path}: no dialogue in it; {REPAIR}")
    return list(dialogues.values())


def _utterance(entry: Mapping[str, Any]) -> AnnotatedUtterance:
    role, face_act = entry["role"], entry["face_act"]
    for value, known in ((role, PERSUASION_ROLES), (face_act, (*FACE_ACTS, None))):
        if value not in known:
            raise ValueError(f"{value!r} is none of {known}")
    given = entry.get("descriptions", {})
    if unknown := set(given) - set(PHRASINGS):
        raise ValueError(f"wordings {sorted(unknown)} are none of {PHRASINGS}")
    votes = {wording: tuple(given[wording]) for wording in PHRASINGS if wording in given}
    utterance = AnnotatedUtterance(role, plain_text(check_text(entry["text"])), face_act, votes)
    for wording, chosen in votes.items():
        allowed = [each.id for each in utterance.candidates(wording)]
        if wrong := [vote for vote in chosen if vote is not None and vote not in allowed]:
            raise ValueError(f"{wrong[0]!r} is none of the {wording} descriptions of {role} and {face_act}: {allowed}")
    return utterance


def sheet_lines(dialogues: Sequence[AnnotatedDialogue]) -> Iterator[str]:
    """The lines of a file for annotators to fill in: `candidates` are the ids that they choose from where they have a choice."""
    for dialogue in dialogues:
        utterances = []
        for said in dialogue.utterances:
            choices = {wording: [each.id for each in said.candidates(wording)] for wording in PHRASINGS}
            choosable = {wording: ids for wording, ids in choices.items() if len(ids) > 1}
            entry: dict[str, Any] = {"role": said.role, "text": said.text, "face_act": said.face_act}
            if choosable:
                entry |= {
                    "candidates": choosable,
                    "descriptions": {wording: list(said.votes.get(wording, ())) for wording in choosable},
                }
            utterances.append(entry)
        yield json.dumps({"dialogue_id": dialogue.dialogue_id, "utterances": utterances}, ensure_ascii=False)


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree on a role's utterances with one face act.

    Attributes:
        utterances: that at least two annotators chose a description for.
        alpha: Krippendorff's, nominal; None where it is undefined.
    """

    role: PersuasionRole
    face_act: FaceAct
    utterances: int
    alpha: float | None


def agreements(dialogues: Sequence[AnnotatedDialogue], wording: Phrasing) -> list[Agreement]:
    """The agreement for each role and face act with a choice of descriptions, where annotators chose anything (Table 9)."""
    found = []
    for role in PERSUASION_ROLES:
        for face_act in FACE_ACTS:
            if len(DESCRIPTIONS.candidates(wording, role, face_act)) > 1:
                said = [each for dialogue in dialogues for each in dialogue.utterances]
                votes = [each.votes.get(wording, ()) for each in said if (each.role, each.face_act) == (role, face_act)]
                paired = [chosen for chosen in votes if len(chosen) - chosen.count(None) >= 2]
                found += [Agreement(role, face_act, len(paired), alpha(paired))] if paired else []
    return found


def mean_alpha(found: Sequence[Agreement]) -> float | None:
    """The mean over roles and face acts, as in the paper's appendix B; None where none is defined."""
    defined = [each.alpha for each in found if each.alpha is not None]
    return float(np.mean(defined)) if defined else None
