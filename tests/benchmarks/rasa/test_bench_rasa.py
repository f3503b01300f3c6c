"""`grice bench rasa-nlu` with real Rasa, on an invented library's data; needs the environment that `make test-rasa` builds."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_fixtures import bench, check_shape, held_out_numbers, write_data

from grice.benchmarks.rasa import data as rasa_data
from grice.benchmarks.rasa.augment import augmented
from grice.benchmarks.rasa.host import RasaHost
from grice.middleware.authoring.augment import Entity
from grice.models.errors import ModelError

PYTHON = Path(__file__).parents[3] / ".venv-rasa" / "bin" / "python"
needs_rasa = pytest.mark.skipif(not PYTHON.exists(), reason="no Rasa environment; `make test-rasa` builds it")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


def test_training_data_have_intents_entities_and_history(data: Path, tmp_path: Path) -> None:
    examples = rasa_data.examples(data)
    (asked,) = {example for example in examples if example.text == "Find me a book on sailing." and not example.entities[1:]}
    assert asked.intent == "library-request"
    assert asked.entities == (Entity(18, 25, "topic"),)
    assert [turn.speaker for turn in asked.history] == ["user", "bot"]
    assert {example.intent for example in examples} == {"library-request", "general-bye", "general-greet"}
    rasa_data.write_nlu(examples, tmp_path / "nlu.yml")
    written = (tmp_path / "nlu.yml").read_text(encoding="utf-8")
    assert written.count("    - Find me a book on [sailing](topic).\n") == 1


@pytest.mark.parametrize(
    ("intent", "acts"),
    [("hotel-inform+train-request", {"hotel-inform", "train-request"}), ("general-none", set()), (None, set()), ("", set())],
)
def test_an_intent_is_a_set_of_domain_acts(intent: str | None, acts: set[str]) -> None:
    assert rasa_data.acts_of(intent) == acts
    if intent:
        assert rasa_data.intent_of(acts) == intent


def test_no_rasa_environment_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no Rasa environment .* `make test-rasa` builds one"):
        RasaHost(tmp_path / "python", tmp_path / "work").version()


@needs_rasa
def test_a_pipeline_that_rasa_refuses_says_why(tmp_path: Path) -> None:
    host = RasaHost(PYTHON, tmp_path)
    (tmp_path / "nlu.yml").write_text('version: "3.1"\nnlu:\n- intent: a\n  examples: |\n    - one\n    - two\n', encoding="utf-8")
    with pytest.raises(ModelError, match="NoSuchComponent"):
        host.train([{"name": "NoSuchComponent"}], tmp_path / "nlu.yml")


def test_variants_are_added_with_what_the_rewriter_makes_of_them(data: Path) -> None:
    examples = rasa_data.examples(data)
    variants, account = augmented(examples)
    texts = {example.text for example in examples}
    assert variants
    assert not texts & {variant.text for variant in variants}
    assert f"of {len(examples)} examples" in account
    assert {variant.intent for variant in variants} <= {example.intent for example in examples}


@needs_rasa
def test_plain_and_rewritten_side_by_side(data: Path, tmp_path: Path) -> None:
    out, work = tmp_path / "out.json", tmp_path / "work"
    arguments = ["--data-dir", str(data), "--rasa-python", str(PYTHON), "--work", str(work), "--out", str(out)]
    assert bench("rasa-nlu", *arguments, "--system", "lr", "lr+blend") == 0
    results = check_shape(out)
    rows = len(held_out_numbers())
    for form in ("original", "direct", "indirect"):
        for system in ("lr", "lr+blend"):
            assert results[form, system, "intent_f1"]["n"] == rows
            assert results[form, system, "entity_f1"]["value"] is not None
    assert results["original", "lr", "intent_accuracy"]["value"] > 80  # val has the same sentences
    assert results["direct", "lr", "entity_f1"]["value"] > 80
    assert results["indirect", "lr+blend", "added_p50_ms"]["value"] > 0
    assert ("indirect", "lr", "fixed") not in results
    assert results["indirect", "lr+blend", "gap_recovered"]["value"] is None  # these turns are easy in all wordings
    assert results["server-4", "lr", "p50_ms"]["n"] == results["server-4", "lr+blend", "added_p50_ms"]["n"] == rows
    hung = results["server-4-service-hung", "lr+http", "max_ms"]
    assert (hung["n"], hung["unscored"]) == (rows, 0)
    models = {path.stat().st_mtime_ns for path in (work / "models").iterdir()}
    assert bench("rasa-nlu", *arguments, "--system", "lr", "--limit", "2") == 0
    assert models == {path.stat().st_mtime_ns for path in (work / "models").iterdir()}
