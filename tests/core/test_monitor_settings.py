import subprocess
import sys

import pytest

from grice.middleware import from_environment
from grice.middleware.monitor import MonitorSettings
from grice.models import Runtime
from grice.models.errors import SettingsError

JUDGE = {"GRICE_JUDGE_URL": "http://127.0.0.1:8000/v1", "GRICE_JUDGE_MODEL": "m"}


def test_settings_come_from_the_environment() -> None:
    settings = from_environment(
        MonitorSettings,
        {
            **JUDGE,
            "GRICE_THRESHOLD_OVERRIDES": " !Rel=0.8, Red = .5,",
            "GRICE_ESCALATE": "both",
            "GRICE_ESCALATE_BEHAVIORS": "Ign, !Rel",
            "GRICE_JUDGE_PAIRING": "true",
            "GRICE_JUDGE_WINDOW": "4",
            "GRICE_JUDGE_OMIT": "temperature",
            "GRICE_JUDGE_PROMPT_PRICE": "0.15",
            "GRICE_JUDGE_COMPLETION_PRICE": "0",
            "GRICE_JUDGE_BUDGET_PER_HOUR": "",
            "GRICE_JUDGE_BUDGET_USD_PER_DAY": "2.5",
        },
        judge_window=6,
    )
    assert settings.thresholds == {"!Rel": 0.8, "Red": 0.5}
    assert (settings.escalate, settings.escalate_behaviors) == ("both", ("Ign", "!Rel"))
    assert (settings.judge_pairing, settings.judge_window, settings.judge_omit) == (True, 6, ("temperature",))
    assert (settings.judge_prompt_price, settings.judge_completion_price) == (0.15, 0.0)
    assert (settings.judge_budget_per_hour, settings.judge_budget_usd_per_day) == (None, 2.5)


def test_without_settings_nobody_is_asked() -> None:
    settings = from_environment(MonitorSettings, {})
    assert (settings.escalate, settings.judge_url, settings.thresholds) == ("never", "", {})
    assert settings.runtime == Runtime()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"GRICE_ESCALATE": "sometimes"}, "escalate: got 'sometimes'; allowed: never, uncertain, alarming, both"),
        ({"GRICE_ESCALATE": "both"}, "escalate: got 'both'; allowed: never, as there is no judge"),
        ({"GRICE_ESCALATE_MARGIN": "1.1"}, "escalate_margin: got 1.1; allowed: 0.0 to 1.0"),
        ({"GRICE_ESCALATE_BEHAVIORS": "Rude"}, "escalate_behaviors: got 'Rude'; allowed: Emp, !Emp"),
        ({"GRICE_THRESHOLD_OVERRIDES": "Rude=0.5"}, "threshold_overrides: got 'Rude=0.5'; allowed: LABEL=NUMBER, each label once"),
        ({"GRICE_THRESHOLD_OVERRIDES": "Red=0.5,Red=0.6"}, "threshold_overrides: got 'Red=0.6'"),
        ({"GRICE_THRESHOLD_OVERRIDES": "Red"}, "threshold_overrides: got 'Red'"),
        ({"GRICE_THRESHOLD_OVERRIDES": "Red=much"}, "threshold_overrides: got 'Red=much'"),
        ({"GRICE_THRESHOLD_OVERRIDES": "Red=nan"}, "threshold_overrides.Red: got nan; allowed: 0.0 to 1.0"),
        ({"GRICE_JUDGE_URL": "http://x"}, "judge_model: got ''; allowed: a name together with judge_url, or neither"),
        ({"GRICE_JUDGE_MODEL": "m"}, "judge_model: got 'm'"),
        (
            {"GRICE_JUDGE_URL": "x:secret@y", "GRICE_JUDGE_MODEL": "m"},
            "judge_url: got 'a value that is not shown'; allowed: a base URL",
        ),
        ({"GRICE_JUDGE_API_KEY": "zwölf"}, "judge_api_key: got 'a value that is not shown'"),
        ({"GRICE_JUDGE_PAIRING": "perhaps"}, "GRICE_JUDGE_PAIRING: got 'perhaps'; allowed: true, false, 1, 0"),
        ({"GRICE_JUDGE_WINDOW": "0"}, "judge_window: got 0; allowed: 1 to"),
        ({"GRICE_JUDGE_WINDOW": "all"}, "GRICE_JUDGE_WINDOW: got 'all'; allowed: an integer"),
        ({"GRICE_JUDGE_OMIT": "top_p"}, "judge_omit: got 'top_p'; allowed: temperature, seed"),
        ({"GRICE_JUDGE_TIMEOUT_S": "30"}, "judge_deadline_s: got 30.0; allowed: more than judge_timeout_s, 30.0"),
        ({"GRICE_JUDGE_PROMPT_PRICE": "1"}, "judge_completion_price: got None; allowed: a price together with judge_prompt_price"),
        ({"GRICE_JUDGE_BUDGET_USD_PER_DAY": "1"}, "judge_budget_usd_per_day: got 1.0; allowed: only with both prices"),
        ({"GRICE_JUDGE_BUDGET_PER_HOUR": "-1"}, "judge_budget_per_hour: got -1"),
        ({"GRICE_JUDGE_BUDGET_STORE": "disk"}, "judge_budget_store: got 'disk'; allowed: memory, redis"),
        ({"GRICE_JUDGE_WORKERS": "0"}, "judge_workers: got 0; allowed: 1 to 64"),
        ({"GRICE_PRECISION": "int4"}, "precision: got 'int4'; allowed: int8, fp32, fp16"),
    ],
)
def test_bad_values_name_the_setting(values: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        from_environment(MonitorSettings, values)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)


def test_secrets_are_not_shown() -> None:
    assert "s3cret" not in repr(
        MonitorSettings(judge_url="http://s3cret@x", judge_model="m", judge_api_key="s3cret", redis_url="redis://:s3cret@x")
    )


def test_the_monitor_and_its_judge_need_no_optional_package() -> None:
    heavy = ["openai", "redis", "httpx", "httpx2", "pydantic", "fastapi", "prometheus_client", "urllib3"]
    modules = "grice.middleware, grice.middleware.monitor, grice.middleware.judge, grice.middleware.llm"
    code = f"import sys, {modules}; sys.exit([name for name in {heavy} if name in sys.modules] or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_missing_openai_names_its_extra() -> None:
    code = (
        "import sys; sys.modules['openai'] = None\n"
        "from grice.middleware.llm import ChatModel, ChatSettings\n"
        "from grice.models.errors import MissingExtra\n"
        "try: ChatModel(ChatSettings('http://x', 'm'))\n"
        "except MissingExtra as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("openai is not installed; run: pip install 'grice[llm]'\n", "")
