"""`grice bench speed`: how times are taken and summed up, the systems beside ours, and the REST service under load."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from bench_fixtures import bench, check_shape, held_out_numbers, write_checkpoint, write_data, write_directness_checkpoint
from fake_models import FakeBehaviors, FakeRewriter, fake_pipeline, fakes
from live_service import serving
from processor import needs_vnni

from grice.benchmarks.core.sheet import Sheet
from grice.benchmarks.direct.held_out import dialogues, held_out
from grice.benchmarks.speed import timing
from grice.benchmarks.speed.behaviors import add_behaviors, fresh_dialogues
from grice.benchmarks.speed.benchmark import _letters
from grice.benchmarks.speed.checkpoint import SHIPPED, FloatRewriter, PyTorchRewriter, float_rewriter
from grice.benchmarks.speed.classifiers import VARIANTS
from grice.benchmarks.speed.ctranslate2_rewriter import CTranslate2Rewriter
from grice.benchmarks.speed.load import Caller, body_of, drive
from grice.benchmarks.speed.options import SpeedOptions
from grice.benchmarks.speed.servers import RestService
from grice.benchmarks.speed.timing import BLOCK, WARM_UP, add_times, interleaved, percentile, rate
from grice.benchmarks.stats.bootstrap import estimate
from grice.middleware.service.http.app import create_app
from grice.models import Dialogue, Turn, load_rewriter
from grice.models.errors import ModelError, ModelNotFound, WeightsError
from grice.models.export.encoders import export_directness
from grice.models.export.rewriter import export_rewriter
from grice.models.manifest import write_manifest


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("rewriter") / "model")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(create_app(fakes(fake_pipeline(), FakeRewriter("softly")))) as client:
        yield str(client.base_url)


def test_systems_take_turns_and_all_get_every_item() -> None:
    calls: list[tuple[str, int]] = []
    systems = {name: lambda item, name=name: calls.append((name, item)) for name in ("a", "b")}
    count = 2 * BLOCK + 3
    times = interleaved(systems, range(count), 2, "test")
    assert {name: taken.shape for name, taken in times.items()} == {"a": (2, count), "b": (2, count)}
    assert all((taken > 0).all() for taken in times.values())
    measured = calls[2 * WARM_UP :]
    for name in systems:
        assert [item for said, item in measured if said == name] == [*range(count), *range(count)]
    first_of_each_block = [measured[place][0] for place in range(0, 4 * BLOCK, 2 * BLOCK)]
    assert first_of_each_block == ["a", "b"]


def test_what_comes_before_a_call_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[tuple[str, int]] = []
    monkeypatch.setattr(timing, "time", SimpleNamespace(perf_counter=lambda: float(len(done))))
    systems = {name: lambda item, name=name: done.append((name, item)) for name in ("a", "b")}
    times = interleaved(systems, range(3), 1, "test", {"b": lambda item: done.append(("before", item))})
    assert {name: taken.tolist() for name, taken in times.items()} == {"a": [[1, 1, 1]], "b": [[1, 1, 1]]}
    assert done == 2 * [*(("a", item) for item in range(3)), *((said, item) for item in range(3) for said in ("before", "b"))]


def test_percentiles_are_numpys() -> None:
    times = np.random.default_rng(0).random(37)
    for share in (0.01, 0.5, 0.95, 0.99, 1.0):
        assert percentile(times, share).value == np.percentile(times, 100 * share, method="inverted_cdf")


def test_percentile_of_a_resample_is_that_of_the_drawn_times() -> None:
    times, drawn = np.random.default_rng(1).random(10), [0, 0, 0, 4, 9, 9]
    measure = percentile(times, 0.5)
    assert measure.formula(measure.rows[drawn].sum(0, keepdims=True))[0] == np.percentile(times[drawn], 50, method="inverted_cdf")


def test_rate_is_all_turns_by_all_the_time() -> None:
    assert estimate(rate([16, 4], np.array([0.5, 0.5])), ["0", "1"], 0).value == 20


def test_the_time_of_a_turn_is_the_median_of_its_rounds() -> None:
    sheet = Sheet("speed", ["a", "b"], 0)
    add_times(sheet, "rewrite", "ours", np.array([[0.001, 0.003], [0.001, 0.003], [9.0, 9.0]]))
    found = {result.metric: result.value for result in sheet.results}
    assert found == {"p50_ms": 1, "p95_ms": 3, "p99_ms": 3, "per_second": pytest.approx(500)}


def test_ctranslate2_generates_pytorchs_tokens(data: Path, checkpoint: Path) -> None:
    loaded = FloatRewriter(checkpoint)
    sources = loaded.sources(dialogues(held_out(SpeedOptions(data, "all", limit=16)).rows, "indirect"))
    pytorch = PyTorchRewriter(loaded, 1).generate(sources)
    assert len({tuple(row) for row in pytorch}) > 4
    assert min(map(len, pytorch)) > 0
    ctranslate2 = CTranslate2Rewriter(loaded, 1, "float32")
    assert ctranslate2.generate(sources) == pytorch
    assert [ctranslate2.generate([source])[0] for source in sources] == pytorch


def test_int8_is_converted_too(data: Path, checkpoint: Path) -> None:
    given = dialogues(held_out(SpeedOptions(data)).rows, "indirect")
    assert all(CTranslate2Rewriter(FloatRewriter(checkpoint), 1).rewrite(given))


def test_a_checkpoint_must_be_one(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="nothing-here"):
        FloatRewriter(tmp_path / "nothing-here")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "training.json").write_text('{"recipe": "other"}', encoding="utf-8")
    with pytest.raises(WeightsError, match="not a tokenizer"):
        FloatRewriter(tmp_path)


@needs_vnni
def test_rivals_run_on_the_weights_of_the_shipped_rewriter() -> None:
    asked = [Turn("user", "I am looking for a hotel in the north."), Turn("bot", "There is an expensive one. Shall I book it?")]
    texts = ("We will be three.", "Please book a table for 2 people at 18:30 on Tuesday.")
    given = [Dialogue.of(text, asked) for text in texts]
    ours = [result.text for result in load_rewriter().predict(given)]
    with float_rewriter(SHIPPED, "rewriter") as weights:
        rivals: list[PyTorchRewriter | CTranslate2Rewriter] = [PyTorchRewriter(weights, 1), CTranslate2Rewriter(weights, 1)]
    for rival in rivals:
        said = [_letters(text) for text in rival.rewrite(given)]
        assert said == [_letters(text) for text in ours]


@pytest.mark.parametrize("callers", [1, 8])
def test_every_body_is_sent_once_and_timed(callers: int) -> None:
    rewriter = FakeRewriter()
    pipeline = fake_pipeline()
    pipeline.rewriter = rewriter
    given = [Dialogue.of(f"turn {number}", [Turn("bot", "Which one?")]) for number in range(20)]
    with serving(create_app(fakes(pipeline, FakeRewriter("softly")))) as client:
        load = drive(str(client.base_url), [body_of(dialogue) for dialogue in given], callers)
    assert np.isfinite(load.seconds).all()
    assert load.wall >= load.seconds.max()
    assert sorted((d for batch in rewriter.batches for d in batch), key=str) == sorted(given, key=str)


def test_a_refused_call_has_no_time(address: str) -> None:
    good = body_of(Dialogue.of("a wish"))
    load = drive(address, [good, b"{}", good], 1)
    assert np.isfinite(load.seconds).tolist() == [True, False, True]


def test_a_dead_service_gives_no_times() -> None:
    caller = Caller("http://127.0.0.1:9")
    assert np.isnan(caller.rewrite(b"{}"))


def test_a_service_that_does_not_start_says_why(tmp_path: Path) -> None:
    with (
        pytest.raises(ModelError, match=r"stopped with status 2.*nowhere"),
        RestService({"GRICE_REWRITER_MODEL": str(tmp_path / "nowhere"), "GRICE_DIRECTNESS_MODEL": str(tmp_path / "nowhere")}),
    ):
        pass


def test_systems_that_are_not_there_are_unscored(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing, out = str(tmp_path / "nowhere"), tmp_path / "speed.json"
    names = ("rewriter", "directness", "behaviors", "resolver", "intentions", "meaning", "mind", "checkpoint")
    models = [argument for name in names for argument in (f"--{name}", missing)]
    assert bench("speed", "--data-dir", str(data), *models, "--out", str(out)) == 0
    results = check_shape(out)
    assert {result["value"] for result in results.values()} == {None}
    assert {result["unscored"] for result in results.values()} == {len(held_out_numbers())}
    reasons = json.loads(out.read_text(encoding="utf-8"))["run"]["reasons"]
    assert {"rewrite/pytorch", "rewrite/grice-int8", "directness/grice-fp32", "rest-32/grice-int8"} <= set(reasons)
    assert {"behaviors/grice-int8", "behaviors/grice-fp32", "slots/grice-int8", "meaning/grice-int8"} <= set(reasons)
    assert {f"{task}/grice-int8" for task in ("intentions", "intentions-cold", "mind", "mind-cold")} <= set(reasons)
    assert "not scored" in capsys.readouterr().out


def test_nine_scores_are_timed_on_dialogues_that_were_never_seen(data: Path) -> None:
    found = held_out(SpeedOptions(data))
    given, sheet = dialogues(found.rows, "indirect"), Sheet("speed", found.groups, 0)
    monitors: dict[str, FakeBehaviors] = {}

    def load(_: SpeedOptions, name: str) -> FakeBehaviors:
        return monitors.setdefault(name, FakeBehaviors())

    add_behaviors(sheet, SpeedOptions(data, rounds=2), ("grice-int8", "pytorch", "grice-fp32"), given, load)
    times = {(result.task, result.system, result.metric): result for result in sheet.results}
    metrics = ("p50_ms", "p95_ms", "p99_ms", "per_second")
    assert set(times) == {("behaviors", name, metric) for name in ("grice-int8", "grice-fp32") for metric in metrics}
    assert all(result.n == len(given) and result.value is not None and result.value > 0 for result in times.values())
    seen = [dialogue for name in monitors for batch in monitors[name].batches for dialogue in batch]
    assert len(seen) == 2 * (2 * len(given) + WARM_UP)
    assert {(len(dialogue.history), dialogue.history[0].speaker, dialogue.last.speaker) for dialogue in seen} == {
        (20, "bot", "bot")
    }
    turns = [turn for dialogue in seen for turn in set(dialogue.turns)]
    assert len(set(turns)) == len(turns)


def test_nine_scores_are_timed_where_the_bot_has_said_nothing() -> None:
    (dialogue,) = next(iter(fresh_dialogues([Dialogue.of("Is anyone there?")], 1)))
    assert {turn.text for turn in dialogue.turns} == {"Is anyone there? 0"}


def allow_all_tokens(folder: Path) -> None:
    """Let an exported rewriter use tokens that its source does not support."""
    content = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    content["settings"]["supported_only"] = False
    write_manifest(folder, content)


def test_every_system_in_one_run(data: Path, checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export_rewriter(checkpoint, tmp_path / "rewriter", ["int8", "fp32"])
    allow_all_tokens(tmp_path / "rewriter")  # PyTorch may use them too
    export_directness(write_directness_checkpoint(tmp_path / "scorer"), tmp_path / "directness", ["int8", "fp32"])
    out = tmp_path / "speed.json"
    models = ["--rewriter", str(tmp_path / "rewriter"), "--directness", str(tmp_path / "directness")]
    for elsewhere in ("behaviors", "resolver", "intentions", "meaning", "mind"):
        models += [f"--{elsewhere}", "timed in another test"]
    models += ["--checkpoint", str(checkpoint)]
    assert bench("speed", "--data-dir", str(data), *models, "--rounds", "2", "--out", str(out)) == 0
    others = {"behaviors", "worker", "trunk", "slots", "meaning", *VARIANTS}
    results = {key: result for key, result in check_shape(out).items() if key[0] not in others}
    assert all(result["value"] is not None for result in results.values())
    rewriting, ours = {"grice-int8", "grice-fp32", "pytorch", "ctranslate2-int8"}, {"grice-int8", "grice-fp32"}
    services = {"grice-int8", "grice-int8-unbatched"}
    systems = {"rewrite": rewriting, "rewrite-batched": rewriting, "directness": ours}
    systems |= {f"rest-{callers}": services for callers in (1, 8, 32)}
    assert {(task, system) for task, system, _ in results} == {(task, name) for task, names in systems.items() for name in names}
    assert results["rest-1", "grice-int8", "overhead_ms"]["n"] == len(held_out_numbers())
    batched, unbatched = (results["rest-32", name, "per_second"]["value"] for name in ("grice-int8", "grice-int8-unbatched"))
    assert results["rest-32", "grice-int8", "batching_gain"]["value"] == pytest.approx(batched / unbatched)
    assert "fp32" in capsys.readouterr().out
    same_words = next(
        table for table in json.loads(out.read_text(encoding="utf-8"))["run"]["tables"] if "same words" in table["title"]
    )
    agreement = dict(zip(same_words["header"], next(row for row in same_words["rows"] if row[0] == "grice-fp32"), strict=True))
    assert agreement["pytorch"] == 100.0
