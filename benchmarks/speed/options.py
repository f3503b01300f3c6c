"""What `grice bench speed` takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grice.benchmarks.core.options import Threaded, model_option, option
from grice.benchmarks.speed.checkpoint import SHIPPED


@dataclass(frozen=True)
class SpeedOptions(Threaded):
    """Models, and how often each is timed."""

    rewriter: str = model_option("rewriter", "rewriter")
    directness: str = model_option("directness scorer", "directness")
    behaviors: str = model_option("behaviour monitor", "behaviors")
    resolver: str = model_option("slot-value resolver", "meaning")
    intentions: str = model_option("intention detector", "intentions")
    meaning: str = model_option("reader of meaning", "meaning")
    mind: str = model_option("model of minds", "mind")
    checkpoint: Path = option(
        SHIPPED, "float weights for PyTorch and CTranslate2; shipped: those of --rewriter, dequantised", "DIR"
    )
    rounds: int = option(3, "measure N times", "N", (1, 1000))
    tasks: tuple[str, ...] = option(
        (),
        "only these: rewrite, directness, behaviors, readers, meaning, rest, worker, trunk (default: all)",
        "TASK",
        flag="--task",
    )
