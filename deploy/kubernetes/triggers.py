"""Prints the triggers of `worker.yaml` for KEDA: one a partition and Redis server.

python deploy/kubernetes/triggers.py PARTITIONS HOST:PORT [HOST:PORT …]
"""

from __future__ import annotations

import sys

from grice.middleware.events.redis_stream import stream_keys
from grice.middleware.stream import WorkerSettings

LAG = 200
"""Events that one worker is behind before there should be another: a second or two of its work."""


def triggers(partitions: int, addresses: list[str]) -> list[str]:
    """The lines, one trigger each, as YAML."""
    names = WorkerSettings()
    return [
        f'- {{type: redis-streams, metadata: {{address: "{address}", stream: "{stream}", consumerGroup: {names.events_group}, '
        f'lagCount: "{LAG}", enableTLS: "true"}}, authenticationRef: {{name: grice-redis}}}}'
        for address in addresses
        for stream in stream_keys(names.events_stream, partitions)
    ]


if __name__ == "__main__":
    print("\n".join(triggers(int(sys.argv[1]), sys.argv[2:])))
