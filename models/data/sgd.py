"""Schema-Guided Dialogue (Rastogi et al. 2020).

Files: `{train,dev,test}.zip`, or folders of these names as in the authors' repository, with `schema.json` and
`dialogues_*.json`: lists of {dialogue_id, services, turns: [{speaker, utterance, frames: [{service, actions, state}]}]}.
`sgd_x.zip` has the schemas of SGD-X, in five other wordings.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grice.models.data.files import existing, in_format, read_json
from grice.models.data.silence import is_silent, turn_or_silence
from grice.models.dialogue import Speaker, Turn
from grice.models.errors import DataCorrupt

VARIANTS = ("v1", "v2", "v3", "v4", "v5")

_SPEAKERS: dict[str, Speaker] = {"USER": "user", "SYSTEM": "bot"}


@dataclass(frozen=True)
class SlotSchema:
    """One slot of a service; `possible_values` is empty for a free-text slot."""

    name: str
    description: str
    is_categorical: bool
    possible_values: tuple[str, ...]


@dataclass(frozen=True)
class IntentSchema:
    """One thing that a service can be asked for; `slots` are the names of those that it needs or takes."""

    name: str
    description: str
    slots: tuple[str, ...]


@dataclass(frozen=True)
class ServiceSchema:
    """One service (Restaurants_1) with its slots and intents."""

    name: str
    description: str
    slots: tuple[SlotSchema, ...]
    intents: tuple[IntentSchema, ...] = ()


@dataclass(frozen=True)
class Action:
    """One annotated act of a turn (INFORM area=north) for a service."""

    service: str
    act: str
    slot: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class SgdTurn:
    """A turn with its actions and, for the user, the slot values of every service so far; `results` of a service, for the bot."""

    turn: Turn
    actions: tuple[Action, ...]
    state: dict[str, dict[str, tuple[str, ...]]]
    results: tuple[dict[str, str], ...] = ()

    @property
    def silent(self) -> bool:
        """The file has no text for this turn."""
        return is_silent(self.turn)


@dataclass(frozen=True)
class SgdDialogue:
    """A dialogue and the services it touches."""

    dialogue_id: str
    services: tuple[str, ...]
    turns: tuple[SgdTurn, ...]


def read_schema(folder: Path, split: str) -> dict[str, ServiceSchema]:
    """The services of `split` ("train", "dev" or "test") by name.

    Raises:
        DataNotFound, DataCorrupt: the file is not there or not readable.
    """
    path = existing(folder, f"{split}.zip", split)
    services = read_json(path, f"{split}/schema.json") if path.suffix == ".zip" else read_json(path / "schema.json")
    with in_format("an SGD schema", path):
        return {service["service_name"]: _service(service) for service in services}


def read_schema_file(path: Path) -> dict[str, ServiceSchema]:
    """The services of one schema file, such as one's own.

    Raises:
        DataNotFound, DataCorrupt: it is not there or not in the format.
    """
    services = read_json(existing(path.parent, path.name))
    with in_format("an SGD schema", path, "give a list of services, each with service_name, description, slots and intents"):
        return {service["service_name"]: _service(service) for service in services}


def read_variants(folder: Path, split: str, schema: Mapping[str, ServiceSchema]) -> dict[str, dict[str, ServiceSchema]]:
    """The five other wordings of `schema` in SGD-X (Lee et al. 2022): by wording, each by the service's name in `schema`.

    Service `Alarm_15` is the fifth wording of `Alarm_1`; its intents and slots are in the same order.

    Raises:
        DataNotFound, DataCorrupt: `sgd_x.zip` is not there or not readable, or a wording does not fit the schema.
    """
    path = existing(folder, "sgd_x.zip")
    found = {}
    for variant in VARIANTS:
        services = read_json(path, f"sgd_x/data/{variant}/{split}/schema.json")
        with in_format("SGD-X", path):
            worded = {service["service_name"].removesuffix(variant[1:]): _service(service) for service in services}
        for name, service in schema.items():
            if name not in worded or len(worded[name].intents) != len(service.intents):
                raise DataCorrupt(f"{path}: {variant} has no wording of {name} with {len(service.intents)} intents; fetch it again")
        found[variant] = worded
    return found


def _service(service: dict[str, Any]) -> ServiceSchema:
    slots = tuple(
        SlotSchema(slot["name"], slot["description"], bool(slot["is_categorical"]), tuple(slot["possible_values"]))
        for slot in service["slots"]
    )
    intents = tuple(
        IntentSchema(intent["name"], intent["description"], (*intent["required_slots"], *intent["optional_slots"]))
        for intent in service.get("intents", ())
    )
    return ServiceSchema(service["service_name"], service["description"], slots, intents)


def read(folder: Path, split: str) -> Iterator[SgdDialogue]:
    """The dialogues of `split` in file order, one file in memory at a time.

    Raises:
        DataNotFound, DataCorrupt: the archive is not there or not readable.
    """
    path = existing(folder, f"{split}.zip", split)
    for dialogues in _files(path):
        for dialogue in dialogues:
            with in_format("SGD", path):
                read_dialogue = _dialogue(dialogue)
            yield read_dialogue


def _files(path: Path) -> Iterator[list[dict[str, Any]]]:
    if path.suffix != ".zip":
        for file in sorted(path.glob("dialogues_*.json")):
            yield read_json(file)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            members = sorted(name for name in archive.namelist() if "dialogues_" in name)
    except zipfile.BadZipFile as error:
        raise DataCorrupt(f"{path}: {error}; fetch it again") from error
    for member in members:
        yield read_json(path, member)


def _dialogue(dialogue: dict[str, Any]) -> SgdDialogue:
    turns = tuple(_turn(turn) for turn in dialogue["turns"])
    return SgdDialogue(dialogue["dialogue_id"], tuple(dialogue["services"]), turns)


def _turn(turn: dict[str, Any]) -> SgdTurn:
    actions, state, results = [], {}, []
    for frame in turn["frames"]:
        service = frame["service"]
        actions += [Action(service, act["act"], act["slot"], tuple(act["values"])) for act in frame.get("actions", ())]
        results += [{name: str(value) for name, value in row.items()} for row in frame.get("service_results", ())]
        if "state" in frame:
            state[service] = {slot: tuple(values) for slot, values in frame["state"]["slot_values"].items()}
    return SgdTurn(turn_or_silence(_SPEAKERS[turn["speaker"]], turn["utterance"]), tuple(actions), state, tuple(results))
