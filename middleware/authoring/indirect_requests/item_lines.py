"""Generated requests as JSON lines in the format of IndirectRequests, with fields of our own behind its fields."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from grice.middleware.authoring.indirect_requests.generation import Generated

MADE_BY = "grice iur generate"


def item_lines(requests: Sequence[Generated], date: str) -> Iterator[str]:
    """One JSON object a request, each with a line end; `grice.models.data.indirect_requests.read_file` reads them.

    Beside the fields of the format: `id`, `slot`, `strategy`, and what tells that nobody wrote or rated it: `made_by`, `origin`
    (how it was written, of what, by which model; who labelled the strategy) and `criteria` (who judged, and what they said). The
    rating of world understanding is the criterion's, not a mean of people.

    Args:
        date: of creation, such as 2026-03-01.
    """
    numbers: Counter[str] = Counter()
    for request in requests:
        asked = request.candidate.asked
        name = f"{asked.service}.{asked.name}={request.candidate.target}"
        numbers[name] += 1
        yield json.dumps(_item(request, f"{name}-{numbers[name]}", date), ensure_ascii=False) + "\n"


def _item(request: Generated, item_id: str, date: str) -> dict[str, Any]:
    candidate, asked = request.candidate, request.candidate.asked
    return {
        "utterance": candidate.utterance,
        "situation": asked.situation,
        "service": asked.service,
        "slot_description": asked.description,
        "possible_slot_values": repr(list(asked.values)),
        "bool_rephrased_slot_values": repr(list(asked.phrasings)),
        "target_slot_value": request.target,
        "mean_world_understanding": round(request.world_understanding, 2),
        "creation_date": date,
        "id": item_id,
        "slot": asked.name,
        "strategy": request.strategy,
        "made_by": MADE_BY,
        "origin": {
            "way": candidate.way,
            "model": candidate.model,
            "fact": candidate.fact,
            "written_for": candidate.target,
            "strategy_by": request.labelled,
        },
        "criteria": {
            "by": request.criteria,
            "appropriateness": round(request.appropriateness, 2),
            "implied": list(request.implied),
        },
    }
