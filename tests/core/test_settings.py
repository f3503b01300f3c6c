import pytest

from grice.middleware import Pipeline, PipelineSettings, ServiceSettings, from_environment
from grice.models import DirectnessModel, Rewriter, Runtime
from grice.models.errors import SettingsError


def test_environment_is_read_and_given_values_win() -> None:
    environment = {"GRICE_DIRECT_FROM": "0.7", "GRICE_MODE": "replace", "GRICE_THREADS": "2", "UNRELATED": "1"}
    settings = from_environment(PipelineSettings, environment, mode="append", threads=None)
    assert (settings.direct_from, settings.mode, settings.threads) == (0.7, "append", 2)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"GRICE_DIRECT_FROM": "much"}, "setting GRICE_DIRECT_FROM: got 'much'; allowed: a number"),
        ({"GRICE_DIRECT_FROM": "1.5"}, "setting direct_from: got 1.5; allowed: 0.0 to 1.0"),
        ({"GRICE_DIRECT_FROM": "nan"}, "setting direct_from: got nan"),
        ({"GRICE_MODE": "prepend"}, "setting mode: got 'prepend'; allowed: replace, append"),
        ({"GRICE_THREADS": "two"}, "setting GRICE_THREADS: got 'two'; allowed: an integer"),
        ({"GRICE_WORKERS": "65"}, "setting workers: got 65; allowed: 0 to 64"),
        ({"GRICE_DEADLINE_MS": "0"}, "setting deadline_ms: got 0; allowed: 1 to"),
    ],
)
def test_bad_environment_names_the_setting(values: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        from_environment(PipelineSettings, values)
    assert message in str(caught.value)


def test_service_settings() -> None:
    assert from_environment(ServiceSettings, {"GRICE_STORE": "redis", "GRICE_PORT": "0"}).store == "redis"
    with pytest.raises(SettingsError, match="setting store: got 'disk'; allowed: memory, redis"):
        from_environment(ServiceSettings, {"GRICE_STORE": "disk"})


def test_unknown_setting_is_refused() -> None:
    with pytest.raises(TypeError, match="no_such"):
        PipelineSettings(no_such=1)  # type: ignore[call-arg]


def test_runtime_is_what_loaders_take() -> None:
    settings = PipelineSettings(provider="cpu", threads=2, workers=3, precision="fp32")
    assert settings.runtime == Runtime(provider="cpu", threads=2, precision="fp32", workers=3)


def test_pipeline_loads_its_models_with_the_runtime_of_the_settings() -> None:
    pipeline = Pipeline.load(PipelineSettings(provider="cpu", workers=1))
    assert isinstance(pipeline.rewriter, Rewriter)
    assert isinstance(pipeline.directness, DirectnessModel)
    assert pipeline.rewriter.workers.count == pipeline.directness.workers.count == 1
