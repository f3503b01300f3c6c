"""The shipped detector of frustration on talks of ours."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from grice.models import Dialogue, Turn, UserFrustration, load_frustration_detector
from grice.models.errors import InputError, ManifestError, WeightsError
from grice.models.frustration.inputs import WINDOW, hashed_words, read_inputs
from grice.models.manifest import PRETRAINED, read_manifest, write_manifest
from grice.models.runtime.heads import load_arrays

ASKED = (
    Turn("user", "My parcel 88 has not come."),
    Turn("bot", "I see! What is the number of your parcel?"),
    Turn("user", "88, as I wrote."),
    Turn("bot", "Please tell me the number of your parcel."),
)


def found(text: str, *before: Turn) -> UserFrustration:
    (told,) = load_frustration_detector().predict([Dialogue((*(before or ASKED), Turn("user", text)))])
    return told


@pytest.mark.parametrize(
    "text",
    ["I have told you twice already. Let me talk to a human.", "That's not what I asked.", "I give up, you're not helping at all"],
)
def test_frustration_is_shown(text: str) -> None:
    told = found(text)
    assert told.shown
    assert told.turn == len(ASKED)
    assert told.probability is not None
    assert told.probability >= load_frustration_detector().threshold


@pytest.mark.parametrize(
    "text",
    ["It is 88. And could you send it to the office?", "yes please", "Oh sorry, I meant 89!", "My neighbour took it, the thief!!"],
)
def test_calm_and_upset_at_something_else_are_not(text: str) -> None:
    assert not found(text).shown


def test_the_last_turn_of_the_user_is_read_whoever_speaks_last() -> None:
    said = (*ASKED, Turn("user", "Are you even reading this?"))
    detector = load_frustration_detector()
    first, then = detector.predict([Dialogue(said), Dialogue((*said, Turn("bot", "Sorry!")))])
    assert first == then
    assert first.turn == 4


def test_what_nothing_can_be_told_of() -> None:
    nobody, alone = Dialogue((Turn("bot", "Hello!"),)), Dialogue((Turn("user", "This bot is useless!"),))
    assert load_frustration_detector().predict([nobody, alone]) == [UserFrustration(None), UserFrustration(None)]
    assert load_frustration_detector().predict([]) == []


def test_turns_before_the_window_are_not_read() -> None:
    said = (*ASKED * (WINDOW // 2), Turn("user", "Never mind."))
    encoder = load_frustration_detector().encoder
    whole, cut = read_inputs(encoder, said), read_inputs(encoder, said[-WINDOW - 1 :])
    assert whole is not None
    assert cut is not None
    np.testing.assert_array_equal(whole.features, cut.features)


def test_what_the_bot_and_the_user_said_before_is_among_the_features() -> None:
    encoder = load_frustration_detector().encoder
    inputs = read_inputs(encoder, (*ASKED, Turn("user", "88, as I wrote.")))
    assert inputs is not None
    nearest, _, last, _, bot_to_bot, _, own, _ = inputs.features
    assert nearest == pytest.approx(1, abs=1e-5)
    assert last == nearest
    assert own == 1
    assert bot_to_bot > 0.8


def test_words_are_read_in_lower_case_and_numbers_are_alike() -> None:
    assert hashed_words("For the 3rd time: 4 PM") == hashed_words("for the 5RD time:  7 pm")
    assert hashed_words("stop") != hashed_words("stop!")


def test_another_threshold() -> None:
    detector = load_frustration_detector().with_threshold(0)
    (told,) = detector.predict([Dialogue((*ASKED, Turn("user", "yes please")))])
    assert told.shown
    assert not found("yes please").shown
    with pytest.raises(InputError, match=r"threshold of frustration: got 1\.5; allowed: 0 to 1"):
        detector.with_threshold(1.5)
    with pytest.raises(InputError, match="dialogues"):
        detector.predict(["no dialogue"])  # type: ignore[list-item]


def _copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PRETRAINED / "frustration", tmp_path / "model"))


def test_weights_of_another_shape_are_refused(tmp_path: Path) -> None:
    folder = _copy(tmp_path)
    arrays = load_arrays(folder / "heads.npz", {})
    np.savez_compressed(folder / "heads.npz", **{**arrays, "weights": arrays["weights"][:-1]})
    manifest = read_manifest(folder)
    write_manifest(folder, {"name": "own", "version": "1", "task": "frustration", "settings": manifest.settings})
    with pytest.raises(WeightsError, match=r"heads.npz: shapes .*train it again"):
        load_frustration_detector(folder)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda content: content["settings"].pop("threshold"), ManifestError, "settings.threshold"),
        (lambda content: content["settings"]["curve"].update(slope="steep"), ManifestError, "settings.curve.slope: got 'steep'"),
        (
            lambda content: content["settings"]["encoder"]["files"].update({"tokenizer.json": "0" * 64}),
            WeightsError,
            "another encoder",
        ),
        (lambda content: content.update(task="relations"), WeightsError, "a model for relations, not for frustration"),
    ],
)
def test_a_manifest_that_does_not_fit(tmp_path: Path, change: object, error: type[Exception], message: str) -> None:
    folder = _copy(tmp_path)
    content = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    change(content)  # type: ignore[operator]
    (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(error, match=message):
        load_frustration_detector(folder)


def test_the_weights_are_small() -> None:
    assert sum(path.stat().st_size for path in (PRETRAINED / "frustration").iterdir()) < 100_000
