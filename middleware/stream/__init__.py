"""Scores the bot's responses from a Redis stream. The worker itself is `grice.middleware.stream.worker.Worker`.

The way of a batch: `source` takes entries of a partition that `ownership` grants, `planning` says what is to be done with each,
`scoring` scores, `finishing` writes each in one step, and `tally` counts. `partition` goes this way, `worker` goes round its
partitions, `process` is a process with one worker in it.
"""

from grice.middleware.stream.settings import WorkerSettings

__all__ = ["WorkerSettings"]
