"""All parts by the actors of a Ray cluster, a pool of Ray Data.

A pool of actors that takes every CPU leaves none to what feeds it, and may wait for ever (ray#44687); so one CPU a node is left.
Texts and results do not travel through Ray: an actor is told which part, reads it, and writes it. What travels is small, so memory
stays so. A part whose actor or node dies is given to another by Ray; if it had been written, it is found written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grice.middleware.batch.job import BatchJob
from grice.middleware.batch.ledger import BatchCounts, Ledger, Tell
from grice.middleware.batch.parts import FilePart
from grice.middleware.batch.scoring import Scorer
from grice.middleware.batch.work import PartOutcome, cut_file, score_part
from grice.models.errors import InputError, MissingExtra

LOCAL = "local"
WAVE_PARTS = 10_000
"""Parts that Ray is told of at once; more wait here."""
BLOCK_BYTES = 1024 * 1024
"""Ray Data holds a part back until twice as much is free for what comes of it."""
OBJECT_STORE_BYTES = 256 * 1024 * 1024
"""Of a cluster that is started here: what travels is small."""


def run_on_ray(job: BatchJob, files: Sequence[Path], address: str, tell: Tell | None = None) -> BatchCounts:
    """As `run_here`, with the same results, on `address`: `local` starts a cluster of this machine's CPUs.

    Raises:
        GriceError: as `run_here`; or no node has two CPUs.
        ConnectionError: there is no cluster at the address.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise MissingExtra("ray", "ray") from error
    ledger = Ledger(job, files, tell)
    waiting = list(ledger.to_do())
    if not waiting:
        return ledger.close()
    of_our_own: dict[str, Any] = {
        "object_store_memory": OBJECT_STORE_BYTES,
        "include_dashboard": False,
    }
    more = of_our_own if address == LOCAL else {}
    ray.init(address=address, log_to_driver=False, logging_level="WARNING", **more)
    try:
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.target_max_block_size = BLOCK_BYTES
        actors = _most_actors(ray)
        for parts in _waves(job, waiting, ledger):
            for outcome in _outcomes(ray, job, parts, actors):
                ledger.note(outcome)
    finally:
        ray.shutdown()
    return ledger.close()


def _waves(job: BatchJob, files: Sequence[Path], ledger: Ledger) -> Iterator[list[FilePart]]:
    """The parts of all files, so many at a time that Ray can be told of."""
    wave: list[FilePart] = []
    for path in files:
        parts = cut_file(job, path)
        if isinstance(parts, PartOutcome):
            ledger.note(parts)
            continue
        for part in parts:
            wave.append(part)
            if len(wave) == WAVE_PARTS:
                yield wave
                wave = []
    if wave:
        yield wave


def _outcomes(ray: Any, job: BatchJob, parts: Sequence[FilePart], actors: int) -> Iterator[PartOutcome]:
    rows = [{"place": place, **asdict(part), "path": str(part.path)} for place, part in enumerate(parts)]
    scored = ray.data.from_items(rows, override_num_blocks=len(rows)).map(
        ScoringActor,
        fn_constructor_args=(job,),
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=min(actors, len(parts))),
        num_cpus=1,
    )
    for row in scored.iter_rows():
        yield PartOutcome(parts[row["place"]], **{name: value for name, value in row.items() if name != "place"})


def _most_actors(ray: Any) -> int:
    """One CPU of each node is left to what feeds them."""
    cpus = [int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    found = sum(max(0, each - 1) for each in cpus)
    if found == 0:
        raise InputError("CPUs of the cluster", cpus, "a node with two or more, one of which reads; or leave out --ray")
    return found


class ScoringActor:
    """One process of the pool; its models have one thread."""

    def __init__(self, job: BatchJob) -> None:
        self._job = job
        self._scorer = Scorer.load(job)

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """What became of the part that a row describes."""
        place, path = row.pop("place"), Path(row.pop("path"))
        outcome = score_part(self._job, self._scorer, FilePart(path, **row))
        told = {name: value for name, value in vars(outcome).items() if name != "part"}
        return {"place": place, **told}
