"""Small data sets with invented content, written in the formats of the released ones, and a loopback server to fetch them from."""

from __future__ import annotations

import csv
import json
import os
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

needs_released_data = pytest.mark.skipif(not os.environ.get("GRICE_DATA_DIR"), reason="GRICE_DATA_DIR is not set")

BAKERY = [
    {"text": "Hello , I do n't know a bakery . Is there one ?", "dialog_act": {"Bakery-Request": [["Name", "?"]]}},
    {"text": "Crumb 's is open until 18 : 30 .", "dialog_act": {"Bakery-Inform": [["Name", "Crumb's"], ["Close", "18:30"]]}},
    {"text": "I 'll need it on 3 - 4 May .", "dialog_act": {"Bakery-Inform": [["Day", "3-4 May"]]}},
    {"text": "", "dialog_act": "No Annotation"},
    {"text": "Thank you !", "dialog_act": {"general-thank": [["none", "none"]]}},
]

DIRECT_ROWS = [
    ("0", "BAK0001.json", "0", "Hello, I don't know a bakery. Is there one?", "Find a bakery.", "I could  eat some bread."),
    ("1", "BAK0001.json", "4", "Thank you!", "Thanks.", "You made my day."),
]


def write_json(path: Path, value: Any) -> None:
    """`value` as JSON in `path`; in a `.zip` as its only member."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(path.stem, json.dumps(value))
    else:
        path.write_text(json.dumps(value), encoding="utf-8")


def write_multiwoz(folder: Path, split: str = "test", log: Any = None, zipped: bool = True) -> Path:
    """One dialogue, BAK0001, in the format of MultiWOZ 2.1."""
    path = folder / f"{split}.json{'.zip' if zipped else ''}"
    write_json(path, {"BAK0001.json": {"goal": {}, "log": BAKERY if log is None else log}})
    return path


def write_annotated_utterances(folder: Path, *rows: str) -> Path:
    """Rows such as "BAK0001\\t0\\tHello .\\tgeneral-greet()" under the header of `annotated_user_utts_18k.txt`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "annotated_user_utts_18k.txt"
    path.write_text("\n".join(("sessID\tMsgID\tText\tDialogAct", *rows)) + "\n", encoding="utf-8")
    return path


def write_direct(
    data_dir: Path, rows: list[tuple[str, ...]] | None = None, split: str = "test", without: str | None = None
) -> Path:
    """`direct/{split}.csv`, judged in the test split, without the column `without`."""
    names = ["", "dialogue_id", "turn_index", "target_utterance", "direct_utterance", "indirect_utterance"]
    judged = ["isacceptable_direct", "isacceptable_indirect", "quality"] if split == "test" else []
    path = data_dir / "direct" / f"{split}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [name for name in names + judged if name != without], extrasaction="ignore")
        writer.writeheader()
        for row in DIRECT_ROWS if rows is None else rows:
            writer.writerow(dict(zip(names + judged, (*row, "True", "False", "Good"), strict=False)))
    return path


SGD_SCHEMA = [
    {
        "service_name": "Bakeries_1",
        "description": "Bakeries and bread",
        "slots": [
            {"name": "city", "description": "Where", "is_categorical": False, "possible_values": []},
            {"name": "price", "description": "How dear", "is_categorical": True, "possible_values": ["low", "high"]},
        ],
        "intents": [],
    }
]


def sgd_dialogue(dialogue_id: str, *utterances: str) -> dict[str, Any]:
    """A dialogue of users and system in turn; every user turn asks for a city, with a state."""
    turns = []
    for index, utterance in enumerate(utterances):
        frame: dict[str, Any] = {
            "service": "Bakeries_1",
            "actions": [{"act": "INFORM", "slot": "city", "values": ["Ulm"]}],
            "slots": [],
        }
        if index % 2 == 0:
            frame["state"] = {"active_intent": "Find", "requested_slots": [], "slot_values": {"city": ["Ulm", "ulm"]}}
        turns.append({"speaker": "SYSTEM" if index % 2 else "USER", "utterance": utterance, "frames": [frame]})
    return {"dialogue_id": dialogue_id, "services": ["Bakeries_1"], "turns": turns}


def write_sgd(folder: Path, files: dict[str, Any], split: str = "dev", zipped: bool = True) -> Path:
    """`{split}.zip` or the folder `{split}/`, with `files` by name (dialogues_001.json, …) and the schema."""
    contents = {"schema.json": SGD_SCHEMA, **files}
    if not zipped:
        for name, value in contents.items():
            write_json(folder / split / name, value)
        return folder / split
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{split}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in contents.items():
            archive.writestr(f"{split}/{name}", json.dumps(value))
    return path


def cqr_turn(speaker: str, utterance: str, **reformulation: Any) -> dict[str, Any]:
    """A turn of Contextual Query Rewrite; an annotation only if one is given."""
    turn: dict[str, Any] = {"turn": speaker, "data": {"end_dialogue": False, "utterance": utterance}}
    return {**turn, "reformulation": {"slots": {}, **reformulation}} if reformulation else turn


def write_cqr(folder: Path, *dialogues: list[dict[str, Any]], split: str = "dev") -> Path:
    """`cqr_kvret_{split}_public.json`; the dialogues are called car-0, car-1, …"""
    path = folder / f"cqr_kvret_{split}_public.json"
    write_json(
        path, [{"scenario": {"uuid": f"car-{n}", "kb": {}, "task": {}}, "dialogue": turns} for n, turns in enumerate(dialogues)]
    )
    return path


def mudoco_turn(number: int, utterance: str, rewritten: str | None = None) -> dict[str, Any]:
    """A turn of MuDoCo-QR; not graded without `rewritten`."""
    turn: dict[str, Any] = {"number": number, "utterance": utterance, "named_entities": {}, "references": {}, "links": []}
    if rewritten is None:
        return {**turn, "graded": False}
    return {**turn, "graded": True, "rewritten_utterance": rewritten, "rewrite_required": rewritten != utterance}


def write_mudoco(folder: Path, domain: str, dialogs: dict[str, Any]) -> Path:
    """`mudoco_{domain}.json`."""
    path = folder / f"mudoco_{domain}.json"
    write_json(path, {"domain": domain, "dialogs": dialogs})
    return path


@dataclass
class Source:
    """What the loopback server has, how it behaves, and what it was asked.

    Attributes:
        files: content by path.
        ranges: whether it honours `Range`.
        cuts: it closes the connection after so many bytes of the body, once for each entry.
        chunked: it does not say the length beforehand.
        asked: (path, Range header) of every request.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    ranges: bool = True
    cuts: list[int] = field(default_factory=list)
    chunked: bool = False
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    address: str = ""


@contextmanager
def served(source: Source) -> Iterator[Source]:
    """`source` on a free port of the loopback interface."""

    class Handler(_Handler):
        served = source

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    source.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield source
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    served: Source
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        asked_range = self.headers.get("Range")
        self.served.asked.append((self.path, asked_range))
        content = self.served.files.get(self.path)
        self.close_connection = True
        if content is None:
            self.send_error(404)
            return
        start = int(asked_range.removeprefix("bytes=").removesuffix("-")) if asked_range and self.served.ranges else 0
        if start and start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self._send_body(content[start:])

    def _send_body(self, body: bytes) -> None:
        cut = self.served.cuts.pop(0) if self.served.cuts else len(body)
        if self.served.chunked:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if body[:cut]:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(body[:cut]), body[:cut]))
            if cut >= len(body):
                self.wfile.write(b"0\r\n\r\n")
            return
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:cut])

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
