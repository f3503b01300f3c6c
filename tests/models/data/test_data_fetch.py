import hashlib
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from data_fixtures import Source, served

from grice.models import data as readers
from grice.models.data.download import download
from grice.models.data.fetch import fetch
from grice.models.data.pins import DataSet, Pin, Subset, data_sets
from grice.models.data.verify import verify
from grice.models.errors import DataCorrupt, DataError, DataNotFound, InputError

LOAF = b"".join(b"%d grains\n" % number for number in range(20_000))
LOAF_SUM = hashlib.sha256(LOAF).hexdigest()
HALF = LOAF[: len(LOAF) // 2]


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch) -> Iterator[Source]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with served(Source({"/bread/loaf.txt": LOAF})) as running:
        yield running


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "bread" / "loaf.txt"


def get(source: Source, target: Path) -> list[int]:
    """Download the loaf; what the progress callback was told."""
    told: list[int] = []
    download(f"{source.address}/bread/loaf.txt", target, len(LOAF), LOAF_SUM, lambda done, size: told.append(done))
    return told


def leave_partial(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True)
    target.with_name("loaf.txt.partial").write_bytes(content)


def left(target: Path) -> set[str]:
    return {path.name for path in target.parent.iterdir()}


def test_a_whole_file_arrives_with_progress(source: Source, target: Path) -> None:
    told = get(source, target)
    assert target.read_bytes() == LOAF
    assert left(target) == {"loaf.txt"}
    assert told == sorted(told)
    assert told[-1] == len(LOAF)


def test_a_download_that_breaks_off_resumes_at_once(source: Source, target: Path) -> None:
    source.cuts = [100_000, 50_000]
    get(source, target)
    assert target.read_bytes() == LOAF
    assert [asked for _, asked in source.asked] == [None, "bytes=100000-", "bytes=150000-"]


def test_without_ranges_it_starts_over(source: Source, target: Path) -> None:
    source.ranges = False
    leave_partial(target, b"something else, of another kind")
    get(source, target)
    assert target.read_bytes() == LOAF
    assert left(target) == {"loaf.txt"}


def test_a_cut_chunked_answer_resumes(source: Source, target: Path) -> None:
    source.chunked = True
    leave_partial(target, HALF)
    source.cuts = [1000]
    get(source, target)
    assert target.read_bytes() == LOAF
    assert source.asked[0][1] == f"bytes={len(HALF)}-"


def test_a_source_that_sends_nothing_leaves_the_partial_file_for_the_next_run(source: Source, target: Path) -> None:
    source.cuts = [100_000, 0]
    with pytest.raises(DataError, match=r"broke off at 100,000 of [\d,]+ bytes .*run it again"):
        get(source, target)
    assert left(target) == {"loaf.txt.partial"}
    get(source, target)
    assert target.read_bytes() == LOAF
    assert source.asked[-1][1] == "bytes=100000-"


def test_a_whole_partial_file_needs_no_transfer(source: Source, target: Path) -> None:
    leave_partial(target, LOAF)
    get(source, target)
    assert target.read_bytes() == LOAF
    assert source.asked == []


@pytest.mark.parametrize(
    ("content", "more"),
    [(LOAF.replace(b"7 grains", b"8 grains"), ""), (HALF, ""), (LOAF + b"crumbs" * 50_000, " or more"), (b"", "")],
    ids=["altered", "cut", "longer", "empty"],
)
@pytest.mark.parametrize("chunked", [False, True])
def test_other_bytes_are_refused_with_both_sums_and_moved_away(
    source: Source, target: Path, content: bytes, more: str, chunked: bool
) -> None:
    source.files["/bread/loaf.txt"] = content
    source.chunked = chunked
    with pytest.raises(DataCorrupt, match=rf"got [\d,]+ bytes{more}, sha256 [0-9a-f]{{64}}; expected .*{LOAF_SUM}") as raised:
        get(source, target)
    assert left(target) == {"loaf.txt.refused"}
    refused = target.with_name("loaf.txt.refused")
    assert hashlib.sha256(refused.read_bytes()).hexdigest() in str(raised.value)
    assert refused.stat().st_size < len(LOAF) + 100_000
    source.files["/bread/loaf.txt"] = LOAF
    get(source, target)
    assert target.read_bytes() == LOAF


def test_a_partial_file_of_another_version_is_refused_and_the_next_run_starts_clean(source: Source, target: Path) -> None:
    leave_partial(target, b"x" * 1000)
    with pytest.raises(DataCorrupt, match="refused"):
        get(source, target)
    get(source, target)
    assert target.read_bytes() == LOAF


def test_a_partial_file_longer_than_the_sources_is_started_over(source: Source, target: Path) -> None:
    source.files["/bread/loaf.txt"] = HALF
    leave_partial(target, LOAF[:-1])
    with pytest.raises(DataCorrupt, match=f"got {len(HALF):,} bytes"):
        get(source, target)
    assert [asked for _, asked in source.asked] == [f"bytes={len(LOAF) - 1}-", None]


def test_a_file_that_is_not_there(source: Source, target: Path) -> None:
    source.files.clear()
    with pytest.raises(DataNotFound, match=r"/bread/loaf\.txt: the server answers 404"):
        get(source, target)
    assert left(target) == set()


def test_a_source_that_cannot_be_reached(target: Path) -> None:
    with served(Source()) as gone:
        pass
    with pytest.raises(DataError, match=r"cannot be reached .*--mirror"):
        get(gone, target)


@pytest.mark.parametrize("address", ["file:///etc/hostname", "bread/loaf.txt", "ftp://127.0.0.1/loaf.txt"])
def test_only_http_addresses_are_taken(target: Path, address: str) -> None:
    with pytest.raises(InputError, match="http:// or https://"):
        download(address, target, 1, LOAF_SUM, lambda done, size: None)


def bread(*pins: Pin) -> DataSet:
    return DataSet("bread", "Bread", "https://bread.example", "1", "none", "Rosa", "", pins)


def loaf(source: Source, subset: bytes | None = None) -> Pin:
    subsets = () if subset is None else (Subset(len(subset), hashlib.sha256(subset).hexdigest(), "half the grains"),)
    return Pin("loaf.txt", f"{source.address}/bread/loaf.txt", len(LOAF), LOAF_SUM, subsets)


def test_fetch_gets_what_is_missing_and_leaves_what_is_there(source: Source, tmp_path: Path, target: Path) -> None:
    wanted = bread(loaf(source))
    assert [result.outcome for result in fetch(wanted, tmp_path)] == ["fetched"]
    assert target.read_bytes() == LOAF
    assert [result.outcome for result in fetch(wanted, tmp_path)] == ["already there"]
    assert len(source.asked) == 1


def test_fetch_moves_a_wrong_file_away_and_keeps_a_known_subset(source: Source, tmp_path: Path, target: Path) -> None:
    target.parent.mkdir()
    target.write_bytes(HALF)
    assert [result.outcome for result in fetch(bread(loaf(source, HALF)), tmp_path)] == ["subset kept"]
    assert [result.outcome for result in fetch(bread(loaf(source)), tmp_path)] == ["fetched"]
    assert target.with_name("loaf.txt.refused").read_bytes() == HALF
    target.write_bytes(HALF)
    assert [result.outcome for result in fetch(bread(loaf(source, HALF)), tmp_path, replace_subsets=True)] == ["fetched"]
    assert target.read_bytes() == LOAF


def test_a_mirror_stands_in_for_every_address(source: Source, tmp_path: Path) -> None:
    elsewhere = Pin("loaf.txt", "https://bread.example/loaf.txt", len(LOAF), LOAF_SUM)
    source.files["/copies/bread/loaf.txt"] = LOAF
    fetch(bread(elsewhere), tmp_path, mirror=f"{source.address}/copies/")
    assert source.asked == [("/copies/bread/loaf.txt", None)]


def test_what_nobody_publishes_is_left_to_the_user(source: Source, tmp_path: Path) -> None:
    unpublished = Pin("rolls.zip", None, 10, LOAF_SUM)
    assert [result.outcome for result in fetch(bread(loaf(source), unpublished), tmp_path)] == ["fetched", "not published"]
    with pytest.raises(DataNotFound, match=rf"https://bread\.example .*rolls\.zip: 10 bytes, sha256 {LOAF_SUM}"):
        fetch(bread(unpublished), tmp_path)


def test_verify_tells_official_subset_missing_and_other_files_apart(source: Source, tmp_path: Path, target: Path) -> None:
    wanted = bread(loaf(source, HALF))
    found = []
    target.parent.mkdir()
    for content in (None, LOAF, HALF, LOAF[:-1]):
        if content is not None:
            target.write_bytes(content)
        (check,) = verify(wanted, tmp_path)
        found.append(check.status)
    assert found == ["missing", "official", "subset", "refused"]
    assert hashlib.sha256(LOAF[:-1]).hexdigest() in check.detail
    assert LOAF_SUM in check.detail
    assert "half the grains" in check.detail


def test_every_pin_is_complete() -> None:
    for name, known in data_sets().items():
        assert known.name == name
        assert all((known.title, known.licence, known.citation, known.revision, known.homepage.startswith("https://")))
        assert len({pin.path for pin in known.files}) == len(known.files) > 0
        for pin in known.files:
            assert (pin.size is None) == (pin.sha256 is None)
            assert pin.url is None or (pin.url.startswith("https://") and pin.url.endswith(f"/{pin.path}") and pin.size)
            sums = [pin.sha256] if pin.sha256 else []
            sums += [subset.sha256 for subset in pin.subsets]
            assert sums
            assert all(len(found) == 64 and int(found, 16) for found in sums)


def test_whatever_has_a_reader_is_pinned() -> None:
    modules = (importlib.import_module(f"grice.models.data.{each.name}") for each in pkgutil.iter_modules(readers.__path__))
    folders = {module.FOLDER for module in modules if hasattr(module, "FOLDER")}
    assert {"circa", "ci_tod", "conture", "star"} <= folders
    assert folders - data_sets().keys() == {"implicature"}  # where it is published is not known


def test_pinned_github_and_hub_revisions_are_full_commits_in_their_addresses() -> None:
    for name in ("abceval", "begin", "direct", "mudoco_qr", "indirect-requests", "prosecco", "ci_tod"):
        known = data_sets()[name]
        assert len(known.revision) == 40
        assert all(pin.url and known.revision in pin.url for pin in known.files)


def test_progress_counts_from_what_was_there(source: Source, target: Path) -> None:
    leave_partial(target, HALF)
    told = get(source, target)
    assert told[0] > len(HALF)
    assert source.asked == [("/bread/loaf.txt", f"bytes={len(HALF)}-")]
