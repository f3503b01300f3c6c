"""Rates over time, and two versions side by side, as they travel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from grice.middleware.monitor.reports import CountedLabel
from grice.middleware.rates import Rate, RateDifference, RateStep
from grice.middleware.service.capabilities.wire import SchemaVersion, Wire
from grice.middleware.service.watch.watch import RateQuery

Shares = list[Annotated[float | None, Field(ge=0, le=1)]]


class WireSeries(Wire):
    """How often a behaviour was shown, step by step; the lists are as long as `ends`."""

    behavior: Annotated[CountedLabel, Field(description="Which.")]
    bot_version: Annotated[str | None, Field(description="Of which version; null: of all that were asked for.")]
    channel: Annotated[str | None, Field(description="Of which channel; null: of all that were asked for.")]
    shown: Annotated[list[int], Field(description="Responses that showed it.")]
    scored: Annotated[list[int], Field(description="Responses of which that is known.")]
    share: Annotated[Shares, Field(description="Shown of scored; null where nothing was scored.")]
    low: Annotated[Shares, Field(description="Lower ends of the 95 % intervals (Wilson).")]
    high: Annotated[Shares, Field(description="Their upper ends.")]


class RateHistoryAnswer(Wire):
    """Rates over time."""

    window_s: Annotated[int, Field(description="How many seconds.")]
    ends: Annotated[list[float], Field(description="When each step ends, in Unix seconds, the oldest first.")]
    series: Annotated[list[WireSeries], Field(description="One a behaviour, and bot version or channel where `by` says so.")]
    schema_version: SchemaVersion = 1


class WireCount(Wire):
    """How often a behaviour was shown in one group."""

    shown: Annotated[int, Field(description="Responses that showed it.")]
    scored: Annotated[int, Field(description="Responses of which that is known.")]
    share: Annotated[float | None, Field(description="Shown of scored, 0 to 1; null where nothing was scored.")]
    low: Annotated[float | None, Field(description="Lower end of the share's 95 % interval (Wilson).")]
    high: Annotated[float | None, Field(description="Its upper end.")]


class WireDifference(Wire):
    """One behaviour in two versions."""

    behavior: Annotated[CountedLabel, Field(description="Which.")]
    first: Annotated[WireCount, Field(description="Of the first version.")]
    second: Annotated[WireCount, Field(description="Of the second.")]
    difference: Annotated[float | None, Field(description="The second share less the first; null where either scored nothing.")]
    low: Annotated[float | None, Field(description="Lower end of its 95 % interval (Newcombe).")]
    high: Annotated[float | None, Field(description="Its upper end.")]
    p: Annotated[float | None, Field(description="How likely chance alone parts them so far (Fisher's exact test, two-sided).")]
    p_adjusted: Annotated[float | None, Field(description="The same with regard to the number of behaviours compared (Holm).")]


class ComparisonAnswer(Wire):
    """Two versions of the bot, side by side."""

    window_s: Annotated[int, Field(description="How many seconds.")]
    first: Annotated[str, Field(description="The first version.")]
    second: Annotated[str, Field(description="The second.")]
    channel: Annotated[str | None, Field(description="Only of this channel; null: of all.")]
    differences: Annotated[list[WireDifference], Field(description="One a behaviour.")]
    schema_version: SchemaVersion = 1


def wire_history(query: RateQuery, steps: Sequence[RateStep]) -> RateHistoryAnswer:
    """Rates over time as they travel. A version or channel that is not in a step scored nothing there."""
    keys = dict.fromkeys((rate.behavior, rate.bot_version, rate.channel) for step in steps for rate in step.rates)
    found = [{(rate.behavior, rate.bot_version, rate.channel): rate for rate in step.rates} for step in steps]
    series = [_series([rates.get(key, Rate(*key, 0, 0)) for rates in found]) for key in keys]
    return RateHistoryAnswer(window_s=query.window_s, ends=[step.end for step in steps], series=series)


def wire_comparison(first: RateQuery, second: RateQuery, differences: Sequence[RateDifference]) -> ComparisonAnswer:
    """Two versions side by side as they travel."""
    return ComparisonAnswer(
        window_s=first.window_s,
        first=first.bot_version or "",
        second=second.bot_version or "",
        channel=first.channel,
        differences=[
            WireDifference(
                behavior=each.first.behavior,
                first=_count(each.first),
                second=_count(each.second),
                difference=each.difference,
                low=each.low,
                high=each.high,
                p=each.p,
                p_adjusted=each.p_adjusted,
            )
            for each in differences
        ],
    )


def _series(rates: Sequence[Rate]) -> WireSeries:
    counts = [_count(rate) for rate in rates]
    return WireSeries(
        behavior=rates[0].behavior,
        bot_version=rates[0].bot_version,
        channel=rates[0].channel,
        shown=[each.shown for each in counts],
        scored=[each.scored for each in counts],
        share=[each.share for each in counts],
        low=[each.low for each in counts],
        high=[each.high for each in counts],
    )


def _count(rate: Rate) -> WireCount:
    low, high = rate.interval or (None, None)
    return WireCount(shown=rate.shown, scored=rate.scored, share=rate.share, low=low, high=high)
