"""Logs of dialogues, scored offline: in one process, or by the actors of a Ray cluster, with the same results.

The way of a file: `parts` cuts it, `scoring` scores the rows of a part, `results` writes them and puts the parts together. A part
is the same rows in the same batches wherever it is scored, and it is written in one step: whoever dies has lost that part at most.
`one_process` and `ray_data` are two ways of going through all parts; `ledger` keeps count for both.
"""

from grice.middleware.batch.job import TASKS, BatchJob, BatchTask

__all__ = ["TASKS", "BatchJob", "BatchTask"]
