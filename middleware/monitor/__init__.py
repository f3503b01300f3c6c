"""Watching the bot: what its responses do, how often, and when to raise an alarm."""

from grice.middleware.monitor.escalation import Escalation
from grice.middleware.monitor.monitor import Monitor
from grice.middleware.monitor.reports import Judge, Judgement, ResponseReport
from grice.middleware.monitor.scored_response import ScoredResponse
from grice.middleware.monitor.settings import MonitorSettings

__all__ = ["Escalation", "Judge", "Judgement", "Monitor", "MonitorSettings", "ResponseReport", "ScoredResponse"]
