"""What is imported in Rasa's environment."""

from __future__ import annotations

import subprocess
import sys

from conftest import TrainBot

PROGRAM = """
import asyncio, sys
from rasa.core.agent import Agent
import grice.components
agent = Agent.load(sys.argv[1])
found = asyncio.run(agent.parse_message("I am on a tight budget"))
assert found["grice"]["decision"] == "rewrite", found
print(sorted({"pydantic", "fastapi", "torch", "transformers"} & set(sys.modules)))
"""


def test_a_turn_needs_none_of_the_heavy_packages(train_bot: TrainBot) -> None:
    from conftest import with_grice

    model = train_bot(with_grice())
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(model)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines()[-1] == "[]"


def test_the_components_are_named_in_order() -> None:
    import grice.components

    assert list(grice.components.__all__) == sorted(grice.components.__all__)
    assert {"DirectnessScorer", "EntityAligner", "IndirectTurnRewriter"} <= set(grice.components.__all__)
    for name in grice.components.__all__:
        assert getattr(grice.components, name).__name__ == name
