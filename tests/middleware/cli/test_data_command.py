import argparse
import os
from pathlib import Path

import pytest
from data_fixtures import Source, needs_released_data, served

from grice.middleware.cli import data
from grice.models.data.pins import data_sets
from grice.models.errors import DataCorrupt, DataNotFound, InputError


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser(prog="grice data")
    data.add_arguments(parser)
    return data.run(parser.parse_args([str(argument) for argument in arguments]))


def test_list_shows_every_data_set_with_licence_and_citation(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    shown = capsys.readouterr().out
    for known in data_sets().values():
        assert f"{known.name}: " in shown
        assert known.licence in shown
        assert known.citation in shown


def test_fetch_refuses_wrong_bytes_from_a_mirror(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    wrong = Source({"/direct/train.csv": b"something else"})
    message = r"train\.csv: got 14 bytes, .* expected 13,318,218 bytes"
    with served(wrong) as mirror, pytest.raises(DataCorrupt, match=message):
        run("fetch", "direct", "--data-dir", tmp_path / "new", "--mirror", mirror.address)
    assert (tmp_path / "new" / "direct" / "train.csv.refused").read_bytes() == b"something else"
    assert "train.csv: 14 of 13,318,218 bytes" in capsys.readouterr().err


def test_fetch_of_a_file_that_the_mirror_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with served(Source()) as mirror, pytest.raises(DataNotFound, match="404"):
        run("fetch", "indirect-requests", "--data-dir", tmp_path, "--mirror", mirror.address)


def test_fetch_of_what_nobody_publishes_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(DataNotFound, match=r"canard: no file of it is published.*dev\.json: 2,803,066 bytes"):
        run("fetch", "canard", "--data-dir", tmp_path)


def test_an_unknown_name_lists_the_known_ones(tmp_path: Path) -> None:
    for action in ("fetch", "verify"):
        with pytest.raises(InputError, match=r"data set: got 'dirct'; allowed: direct, multiwoz21, sgd"):
            run(action, "dirct", "--data-dir", tmp_path)


def test_a_data_folder_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRICE_DATA_DIR", raising=False)
    with pytest.raises(DataNotFound, match="--data-dir or set GRICE_DATA_DIR"):
        run("verify", "--all")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(DataNotFound, match="cannot be made"):
        run("fetch", "direct", "--data-dir", tmp_path / "file")
    with pytest.raises(DataNotFound, match="is not a folder"):
        run("verify", "--all", "--data-dir", tmp_path / "nothing")


def test_verify_of_one_data_set_fails_on_missing_and_wrong_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("verify", "canard", "--data-dir", tmp_path) == 1
    assert "canard/dev.json: missing: 2,803,066 bytes, sha256 fafd9f53" in capsys.readouterr().out
    (tmp_path / "canard").mkdir()
    (tmp_path / "canard" / "dev.json").write_text("[]", encoding="utf-8")
    assert run("verify", "canard", "--data-dir", tmp_path) == 1
    assert "canard/dev.json: refused: got 2 bytes, sha256 " in capsys.readouterr().out
    assert run("verify", "--all", "--data-dir", tmp_path) == 1


def test_verify_all_passes_over_what_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("verify", "--all", "--data-dir", tmp_path) == 0
    assert "canard: not in" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["verify"], ["verify", "direct", "--all"], [], ["fetch"]])
def test_wrong_usage_ends_with_status_2(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        run(*arguments, *(["--data-dir", tmp_path] if arguments else []))
    assert raised.value.code == 2
    assert "usage" in capsys.readouterr().err


@needs_released_data
def test_verify_accepts_the_data_that_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("verify", "--all") == 0
    assert "refused" not in capsys.readouterr().out


@needs_released_data
def test_fetch_of_a_whole_data_set_from_a_mirror(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    released = Path(os.environ["GRICE_DATA_DIR"]) / "mudoco_qr"
    files = {f"/mudoco_qr/{path.name}": path.read_bytes() for path in released.glob("*.json")}
    with served(Source(files, cuts=[1_000_000])) as mirror:
        assert run("fetch", "mudoco_qr", "--data-dir", tmp_path, "--mirror", mirror.address) == 0
    assert "fetched: " in capsys.readouterr().out
    assert run("verify", "mudoco_qr", "--data-dir", tmp_path) == 0
