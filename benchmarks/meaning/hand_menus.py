"""Bots of written hands, as a command's option names these."""

from __future__ import annotations

import argparse

from grice.models.training.meaning.samples import MenuTurns, as_written
from grice.models.training.meaning.written import CALIBRATION_HANDS, read_hands


def read_hand_menus(about: str) -> tuple[list[str], list[MenuTurns]]:
    """The hands that `--hands` names, by default those of calibration, and their bots' menus and turns. `about` is for `--help`."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", nargs="+", default=CALIBRATION_HANDS, help="default: those on which sureness is fitted")
    hands = list(parser.parse_args().hands)
    return hands, [as_written(bot) for bots in read_hands(names=hands).values() for bot in bots]
