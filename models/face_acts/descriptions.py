"""What a speaker in a persuasion may intend, in words, by role and face act. The words are in `intention_descriptions.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any, Literal, get_args

from grice.models.errors import InputError
from grice.models.results import FACE_ACTS, PERSUASION_ROLES, FaceAct, PersuasionRole

Phrasing = Literal["new", "old"]
"""Those of the paper on intention detection in persuasive dialogues, Table 2, or those of Dutt et al. 2020, its Table 13."""

PHRASINGS: tuple[Phrasing, ...] = get_args(Phrasing)


@dataclass(frozen=True)
class IntentionDescription:
    """One intention in words.

    Attributes:
        id: the same in every version of Grice.
        role: whose intention it is.
        face_act: what an utterance with this intention does.
        text: a sentence about the speaker.

    Raises:
        InputError: the role or the face act is unknown, the face act is "other", or the text is blank.
    """

    id: str
    role: PersuasionRole
    face_act: FaceAct
    text: str

    def __post_init__(self) -> None:
        if self.role not in PERSUASION_ROLES:
            raise InputError(f"role of {self.id}", self.role, ", ".join(PERSUASION_ROLES))
        if self.face_act not in FACE_ACTS or self.face_act == "other":
            raise InputError(f"face act of {self.id}", self.face_act, ", ".join(label for label in FACE_ACTS if label != "other"))
        if not self.text.strip():
            raise InputError(f"text of {self.id}", self.text, "a text")


@dataclass(frozen=True)
class IntentionDescriptions:
    """All descriptions.

    Attributes:
        by_wording: in the order of the file.
        groups: ids of descriptions that the same utterance may fit, by the group's name: where one is right, the others of its
            group are no distractors (Table 10).
    """

    by_wording: Mapping[Phrasing, tuple[IntentionDescription, ...]]
    groups: Mapping[str, frozenset[str]]

    def candidates(self, wording: Phrasing, role: PersuasionRole, face_act: FaceAct) -> tuple[IntentionDescription, ...]:
        """The descriptions of a role's utterances with that face act; none for "other"."""
        return tuple(each for each in self.by_wording[wording] if (each.role, each.face_act) == (role, face_act))

    def related(self, description: IntentionDescription) -> frozenset[str]:
        """The ids in all groups of a description, its own among them; none where it is in no group."""
        return frozenset().union(*(group for group in self.groups.values() if description.id in group))


def descriptions_of(content: Mapping[str, Any]) -> IntentionDescriptions:
    """The descriptions in the content of a file like `intention_descriptions.json`.

    Raises:
        InputError: a wording is missing or unknown, an id is twice there, a group has an id that no description has, or an entry
            has other keys than a description has.
    """
    keys = {each.name for each in fields(IntentionDescription)}
    if set(content["descriptions"]) != set(PHRASINGS):
        raise InputError("wordings", ", ".join(content["descriptions"]), ", ".join(PHRASINGS))
    by_wording: dict[Phrasing, tuple[IntentionDescription, ...]] = {}
    known: set[str] = set()
    for wording in PHRASINGS:
        entries = content["descriptions"][wording]
        for entry in entries:
            if set(entry) != keys:
                raise InputError("keys of a description", ", ".join(entry), ", ".join(sorted(keys)))
            if entry["id"] in known:
                raise InputError("id of a description", entry["id"], "each id once")
            known.add(entry["id"])
        by_wording[wording] = tuple(IntentionDescription(**entry) for entry in entries)
    groups = {name: frozenset(ids) for name, ids in content["groups"].items()}
    for name, group in groups.items():
        if unknown := sorted(group - known):
            raise InputError(f"group {name}", ", ".join(unknown), "ids of descriptions")
    return IntentionDescriptions(by_wording, groups)


DESCRIPTIONS = descriptions_of(
    json.loads(resources.files("grice.models.face_acts").joinpath("descriptions.json").read_text(encoding="utf-8"))
)
