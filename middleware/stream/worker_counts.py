"""What a worker has done."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class WorkerCounts:
    """What became of the events that one process took since its start.

    Attributes:
        scored: responses of the bot whose result is in the results.
        sampled_out: responses of the bot that were left out by `sample`.
        user_turns: turns of users; they are history only.
        duplicates: events that had come before.
        dead: events that went to the dead letters.
        recovered: entries taken over that an earlier worker, or this one before it lost its lease, had left unfinished.
        retried: times that scoring a response was tried again.
        dropped: entries that Redis removed from the stream before they were scored: it was longer than its publishers allow.
        results_trimmed, dead_trimmed: entries that left those streams by their limit; whether anyone had read them is not known.
        leases_lost: times that another worker was free to take over a partition of this one.
        failures: times that Redis could not be used, or that something unforeseen went wrong.
    """

    scored: int = 0
    sampled_out: int = 0
    user_turns: int = 0
    duplicates: int = 0
    dead: int = 0
    recovered: int = 0
    retried: int = 0
    dropped: int = 0
    results_trimmed: int = 0
    dead_trimmed: int = 0
    leases_lost: int = 0
    failures: int = 0
