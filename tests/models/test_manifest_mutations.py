"""Manifests in which something was changed: a model is loaded and gives sound figures, or is refused by one of our own errors."""

from __future__ import annotations

import copy
import json
import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grice.models import Dialogue, MeaningQuestion, RecommendationDialogue, Turn
from grice.models.behaviors import BehaviorMonitor
from grice.models.directness import DirectnessModel
from grice.models.errors import GriceError, ManifestError, ModelNotFound
from grice.models.face_acts import FaceActDetector
from grice.models.manifest import FILE, PRETRAINED, Manifest, read_manifest
from grice.models.meaning.reader import MeaningReader
from grice.models.minds import MindModel
from grice.models.relations.reader import RelationReader
from grice.models.relations.results import RelationQuestion
from grice.models.rewriter import Rewriter
from grice.models.runtime.runtime import Runtime
from grice.models.runtime.word_table import read_word_table
from grice.models.schema import BotSchema, IntentSpec, SlotSpec
from grice.models.sentence_encoder import SentenceEncoder, load_sentence_encoder

DIALOGUE = Dialogue.of("It is a bit cold in here.", [Turn("user", "Hello."), Turn("bot", "What can I do for you?")])
ANSWERED = Dialogue.of("I like Lantern Bay (1999).", [Turn("bot", "Have you seen Lantern Bay (1999)?")])
MENU = BotSchema((IntentSpec("heat", "turn the heating on"),), (SlotSpec("heating", values=("on", "off")),))
QUESTION = MeaningQuestion(DIALOGUE, MENU)

Use = Callable[[Manifest], Sequence[float]]


def _score(manifest: Manifest) -> list[float]:
    return [DirectnessModel(manifest, runtime=Runtime(workers=1)).predict([DIALOGUE])[0].score]


def _rewrite(manifest: Manifest) -> list[float]:
    return [Rewriter(manifest, runtime=Runtime(workers=1)).predict([DIALOGUE])[0].confidence]


def _monitor(manifest: Manifest) -> list[float]:
    monitor = BehaviorMonitor(manifest, load_sentence_encoder(manifest.setting("encoder.name", str, "a name")), Runtime(workers=1))
    return [*monitor.thresholds.values(), *(value or 0.0 for value in monitor.predict([DIALOGUE])[0].probabilities.values())]


def _detect(manifest: Manifest) -> list[float]:
    return [
        *FaceActDetector(manifest, load_sentence_encoder(), runtime=Runtime(workers=1))
        .predict([DIALOGUE])[0]
        .probabilities.values()
    ]


def _read_mind(manifest: Manifest) -> list[float]:
    reading = MindModel(manifest, load_sentence_encoder(), Runtime(workers=1)).predict([RecommendationDialogue(ANSWERED)])[0]
    return [*reading.next.probabilities.values(), *reading.items[0].probabilities.values()]


def _encode(manifest: Manifest) -> list[float]:
    assert np.isfinite(read_word_table(manifest, "encoder").vectors(np.array([[0]]))).all()
    return [*map(abs, SentenceEncoder(manifest).encode(["It is cold."])[0].tolist())]


def _read_meaning(manifest: Manifest) -> list[float]:
    return [each.share for each in MeaningReader(manifest).predict([QUESTION])[0].possible]


def _relate(manifest: Manifest) -> list[float]:
    found = RelationReader(manifest).predict([RelationQuestion(ANSWERED)])[0]
    return [found.bad, *(share for share in found.labels.values() if share is not None)]


USES: dict[str, Use] = {
    "relations": _relate,
    "behaviors": _monitor,
    "directness": _score,
    "intentions": _detect,
    "mind": _read_mind,
    "rewriter": _rewrite,
    "sentence_encoder": _encode,
    "meaning": _read_meaning,
}
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([10**30, -(10**30), 1e308, -1e308, 5e-324, 0.5, 1000, math.nan, math.inf, -math.inf]),
    st.sampled_from(["", "x", "../x", "\ud800", "a" * 300, [], {}, [[]], [None], {"a": 1}, ["direct", "direct"]]),
    st.text(max_size=3),
)


def places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to each part of a JSON value; of long lists to the first parts alone."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    return [found for key, part in inner for found in ((*above, key), *places(part, (*above, key)))]


@pytest.fixture(scope="module", params=sorted(USES))
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], Use]:
    """A shipped model's files beside a manifest that may be rewritten, the shipped manifest, and how the model is used."""
    folder = tmp_path_factory.mktemp(request.param)
    shutil.copytree(PRETRAINED / request.param, folder, dirs_exist_ok=True)
    content = json.loads((folder / FILE).read_text())
    return folder, {key: part for key, part in content.items() if key not in ("training", "metrics")}, USES[request.param]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(data=st.data())
def test_a_mutated_manifest_is_refused_by_name_or_harmless(model: tuple[Path, dict[str, Any], Use], data: st.DataObject) -> None:
    folder, shipped, use = model
    content = copy.deepcopy(shipped)
    for _ in range(data.draw(st.integers(1, 2))):
        *above, last = data.draw(st.sampled_from(places(content)))
        part = content
        for key in above:
            part = part[key]
        if isinstance(part, dict) and data.draw(st.booleans()):
            del part[last]
        else:
            part[last] = data.draw(JUNK)
        if not places(content):
            break
    (folder / FILE).write_text(json.dumps(content), encoding="utf-8")
    try:
        found = use(read_manifest(folder))
    except GriceError:
        return
    assert all(0 <= value <= 1 for value in found)


@settings(max_examples=300, deadline=None)
@given(
    st.binary(max_size=40) | st.recursive(JUNK, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)).map(json.dumps)
)
def test_whatever_is_in_the_file_only_our_errors_leave(tmp_path_factory: pytest.TempPathFactory, content: bytes | str) -> None:
    folder = tmp_path_factory.getbasetemp() / "any"
    folder.mkdir(exist_ok=True)
    (folder / FILE).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ManifestError, match=r"manifest\.json.*got .*allowed: "):
        read_manifest(folder)


GOOD: dict[str, Any] = {"name": "x", "version": "1", "task": "directness", "files": {}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, "allowed: a JSON object of valid texts and finite numbers"),
        (json.dumps({**GOOD, "settings": {"a": [[[[0]]]]}}).replace("[[[[0]]]]", "[" * 40 + "]" * 40), "got 'deeper nesting'"),
        (json.dumps({**GOOD, "metrics": {"bleu": math.nan}}), "not a finite number"),
        (json.dumps({**GOOD, "metrics": {"bleu": 1}}).replace(": 1}", ": 1e999}"), "1e999 is not a finite number"),
        (json.dumps({**GOOD, "task": "\ud800"}), r"surrogates not allowed"),
        (json.dumps({**GOOD, "files": {"../tokenizer.json": {}}}), "allowed: names of files in the same folder"),
        (json.dumps({**GOOD, "files": {"a.json": 7}}), r"files.a.json: got 7; allowed: an object with bytes and sha256"),
        (json.dumps({**GOOD, "files": {"a.json": {"bytes": -1, "sha256": "0" * 64}}}), "bytes: got -1; allowed: a whole number"),
        (json.dumps({**GOOD, "files": {"a.json": {"bytes": 1, "sha256": "x"}}}), "sha256: got 'x'; allowed: 64 hexadecimal"),
        (json.dumps({**GOOD, "settings": []}), "settings: got .*; allowed: an object"),
        (json.dumps({**GOOD, "task": None}), "task: got None; allowed: a text"),
    ],
)
def test_malformed_manifests_are_refused_with_what_got_and_allowed(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / FILE).write_text(content)
    with pytest.raises(ManifestError, match=message):
        read_manifest(tmp_path)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("calibration", "slope"), "steep", "settings.calibration.slope: got 'steep'; allowed: a number from 0 to 1000"),
        (("calibration", "offset"), 10**30, "settings.calibration.offset: got 1000000000000000000000000000000; allowed"),
        (("calibration",), None, "settings.calibration.slope: got None"),
        (("source", "max_tokens"), 1.5, "settings.source.max_tokens: got 1.5; allowed: a whole number from 4 to 65536"),
        (("source", "width"), 1, "settings.source.width: got 1; allowed: no such key; the keys are history_turns, max_tokens"),
        (("source",), "all", "settings.source: got 'all'; allowed: an object"),
    ],
)
def test_settings_of_a_model_are_checked(tmp_path: Path, place: tuple[str, ...], value: object, message: str) -> None:
    shutil.copytree(PRETRAINED / "directness", tmp_path, dirs_exist_ok=True)
    content = json.loads((tmp_path / FILE).read_text())
    part = content["settings"]
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    (tmp_path / FILE).write_text(json.dumps(content))
    with pytest.raises(ManifestError, match=message):
        DirectnessModel(read_manifest(tmp_path))


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "", "no/such"])
def test_names_that_no_folder_can_have(name: str) -> None:
    with pytest.raises(ModelNotFound):
        read_manifest(name)


def test_a_name_of_another_kind() -> None:
    with pytest.raises(GriceError, match="model: got 7; allowed: the path of a folder, or one of behaviors"):
        read_manifest(7)  # type: ignore[arg-type]
