"""What can be checked of compose.yaml, deploy/ and the Dockerfile without Docker: they fit our settings, metrics and each other."""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from redis_process import eventually
from ruamel.yaml import YAML
from scored_fixtures import scored

from grice.middleware.alerts import AlertSettings, read_rules
from grice.middleware.capabilities import capability_settings
from grice.middleware.monitor import Judgement, MonitorSettings
from grice.middleware.monitor.metrics import MonitorMetrics
from grice.middleware.service.http.metrics import Metrics
from grice.middleware.settings import ConnectionSettings, PipelineSettings, ServiceSettings, from_environment
from grice.middleware.stream import WorkerSettings
from grice.middleware.turns.analysis import StageFailure, TurnAnalysis

ROOT = Path(__file__).parent.parent
SETTINGS: dict[str, tuple[type[Any], ...]] = {
    "service": (ServiceSettings, ConnectionSettings, capability_settings(), PipelineSettings, MonitorSettings, AlertSettings),
    "worker": (WorkerSettings, MonitorSettings, AlertSettings),
}
PRIVATE = re.compile(r"KEY|SECRET|PASSWORD|TOKEN")


def loaded(name: str) -> Any:
    return YAML(typ="safe").load((ROOT / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def services() -> Mapping[str, Any]:
    found: Mapping[str, Any] = loaded("compose.yaml")["services"]
    return found


@pytest.fixture(scope="module")
def dashboard() -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((ROOT / "deploy/grafana/dashboards/grice.json").read_text(encoding="utf-8"))
    return found


def names_of(kinds: tuple[type[Any], ...]) -> set[str]:
    return {f"GRICE_{name.upper()}" for kind in kinds for name in kind.__dataclass_fields__}


def test_the_services_of_compose(services: Mapping[str, Any]) -> None:
    assert set(services) == {"redis", "service", "worker", "prometheus", "grafana"}
    for service in services.values():
        name, _, tag = service["image"].rpartition(":")
        assert name
        assert re.search(r"\d", tag) or (name, tag) == ("grice", "local")
        for needed in service.get("depends_on", ()):
            assert needed in services
    assert "appendonly yes" in services["redis"]["command"][0]


WRITTEN = ["compose.yaml", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "deploy").rglob("*.y*ml"))]


@pytest.mark.parametrize("name", WRITTEN)
def test_no_key_is_there_twice(name: str) -> None:
    """Compose and kubectl refuse such a file; the safe loader takes the last value and says nothing."""
    assert list(YAML(typ="rt").load_all((ROOT / name).read_text(encoding="utf-8")))


def test_ports_are_open_to_this_machine_only(services: Mapping[str, Any]) -> None:
    published = {name: port for name, service in services.items() for port in service.get("ports", ())}
    assert set(published) == {"service", "prometheus", "grafana"}
    assert all(port.startswith("127.0.0.1:") for port in published.values())


@pytest.mark.parametrize("name", ["service", "worker"])
def test_every_variable_of_compose_is_a_setting(services: Mapping[str, Any], name: str) -> None:
    given = {key: value for key, value in services[name]["environment"].items() if not key.startswith("OTEL_")}
    assert set(given) <= names_of(SETTINGS[name])
    made = [from_environment(kind, given) for kind in SETTINGS[name]]
    url = "redis://:${REDIS_PASSWORD:?set it in .env}@redis:6379/0"
    assert all(getattr(each, "redis_url", url) == url for each in made)
    assert getattr(made[0], "store", "redis") == "redis"
    assert made[0].events_stream == "grice:events"
    assert (made[0].results_stream, WorkerSettings().results_stream) == ("grice:results", "grice:results")


def test_every_variable_of_the_example_is_a_setting_and_holds_no_secret() -> None:
    lines = (ROOT / "deploy/env.example").read_text(encoding="utf-8").splitlines()
    given = dict(line.lstrip("#").split("=", 1) for line in lines if re.match(r"#?[A-Z]", line))
    known = names_of(SETTINGS["service"]) | names_of(SETTINGS["worker"])
    assert {name for name in given if name.startswith("GRICE_")} <= known
    assert {name for name in given if not name.startswith("GRICE_")} == {"OTEL_EXPORTER_OTLP_ENDPOINT", "REDIS_PASSWORD"}
    assert {value for name, value in given.items() if PRIVATE.search(name)} == {""}
    assert ".env" in (ROOT / ".gitignore").read_text().replace("/", "").splitlines()


def test_compose_holds_no_secret(services: Mapping[str, Any]) -> None:
    given = [name for service in services.values() for name in service.get("environment", {})]
    assert not [name for name in given if PRIVATE.search(name)]


def test_services_have_limits_and_few_rights(services: Mapping[str, Any]) -> None:
    for name, service in services.items():
        assert {"mem_limit", "cpus", "pids_limit", "restart"} <= set(service), name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name


def test_redis_is_reached_by_nothing_outside(services: Mapping[str, Any]) -> None:
    networks = loaded("compose.yaml")["networks"]
    assert networks["data"] == {"internal": True}
    assert services["redis"]["networks"] == ["data"]
    assert "ports" not in services["redis"]
    assert all(set(service["networks"]) <= set(networks) for service in services.values())


def test_services_are_given_the_time_that_they_need_to_stop(services: Mapping[str, Any]) -> None:
    grace = {
        name: int(service["stop_grace_period"].rstrip("s")) for name, service in services.items() if "stop_grace_period" in service
    }
    assert grace["service"] > getattr(ServiceSettings(), "drain_s", 25.0)
    assert grace["worker"] > MonitorSettings().judge_deadline_s


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")
def test_redis_of_compose_asks_for_its_password_and_does_not_show_it(services: Mapping[str, Any], tmp_path: Path) -> None:
    assert loaded("compose.yaml")["secrets"] == {"redis_password": {"environment": "REDIS_PASSWORD"}}
    secret, socket_path, password = tmp_path / "password", tmp_path / "redis.sock", "0123456789abcdef"
    secret.write_text(password)
    (script,) = services["redis"]["command"]
    more = f"port 0\nunixsocket {socket_path}\ndir {tmp_path}\nmaxmemory 1gb"
    script = script.replace("$$", "$").replace("/run/secrets/redis_password", str(secret)).replace("maxmemory 1gb", more)
    with subprocess.Popen([*services["redis"]["entrypoint"], script], stdout=subprocess.DEVNULL) as process:
        try:
            eventually(socket_path.exists)
            with redis.Redis(unix_socket_path=str(socket_path)) as stranger, pytest.raises(redis.AuthenticationError):
                stranger.ping()
            with redis.Redis(unix_socket_path=str(socket_path), password=password) as caller:
                assert caller.ping()
                assert caller.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"
                assert caller.config_get("appendonly")["appendonly"] == "yes"
            shown = Path(f"/proc/{process.pid}/cmdline").read_bytes() + Path(f"/proc/{process.pid}/environ").read_bytes()
            assert b"redis-server" in shown
            assert password.encode() not in shown
        finally:
            process.terminate()


def test_ports_agree(services: Mapping[str, Any]) -> None:
    service = from_environment(ServiceSettings, services["service"]["environment"])
    worker = from_environment(WorkerSettings, services["worker"]["environment"])
    assert service.port == ServiceSettings().port
    assert services["service"]["ports"] == [f"127.0.0.1:{service.port}:{service.port}"]
    assert f"127.0.0.1:{service.port}/health/ready" in services["service"]["healthcheck"]["test"][-1]
    assert f"127.0.0.1:{worker.metrics_port}/health" in services["worker"]["healthcheck"]["test"][-1]
    assert (service.host, worker.metrics_host) == ("0.0.0.0", "0.0.0.0")
    exposed = re.findall(r"^EXPOSE (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert exposed == [f"{service.port} {worker.metrics_port}"]
    jobs = {job["job_name"]: job for job in loaded("deploy/prometheus.yml")["scrape_configs"]}
    assert jobs["grice-service"]["static_configs"] == [{"targets": [f"service:{service.port}"]}]
    (workers,) = jobs["grice-worker"]["dns_sd_configs"]
    assert (workers["names"], workers["type"], workers["port"]) == (["worker"], "A", worker.metrics_port)


def test_the_service_has_time_to_answer_what_it_took(services: Mapping[str, Any]) -> None:
    limits = from_environment(ConnectionSettings, services["service"]["environment"])
    assert int(services["service"]["stop_grace_period"].removesuffix("s")) > limits.drain_s + limits.drain_notice_s


@pytest.mark.parametrize(("name", "module"), [("service", "serve"), ("worker", "monitor")])
def test_commands_are_ours(services: Mapping[str, Any], name: str, module: str) -> None:
    program, command, *options = services[name]["command"]
    assert (program, command) == ("grice", module)
    parser = argparse.ArgumentParser()
    importlib.import_module(f"grice.middleware.cli.{module}").add_arguments(parser)
    parser.parse_args(options)


def test_what_is_mounted_is_there(services: Mapping[str, Any]) -> None:
    volumes = set(loaded("compose.yaml")["volumes"])
    for service in services.values():
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            assert (ROOT / source).exists() if source.startswith("./") else source in volumes


def test_grafana_finds_prometheus_and_the_dashboard(services: Mapping[str, Any], dashboard: Mapping[str, Any]) -> None:
    (source,) = loaded("deploy/grafana/datasources.yml")["datasources"]
    url = urlsplit(source["url"])
    assert (url.hostname, url.port) == ("prometheus", 9090)
    assert services["prometheus"]["ports"] == ["127.0.0.1:9090:9090"]
    assert {each["uid"] for each in found_in(dashboard, "datasource")} == {source["uid"]}
    (provider,) = loaded("deploy/grafana/dashboards.yml")["providers"]
    folder = provider["options"]["path"]
    assert f"./deploy/grafana/dashboards:{folder}:ro" in services["grafana"]["volumes"]
    assert services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"] == f"{folder}/grice.json"
    rules = services["worker"]["environment"]["GRICE_ALERT_RULES"]
    assert f"./deploy/alerts.json:{rules}:ro" in services["worker"]["volumes"]


def found_in(value: Any, key: str) -> Iterator[Any]:
    """Everything that stands under a key, however deep."""
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from found_in(each, key)
    if isinstance(value, dict) and key in value:
        yield value[key]


def test_the_example_rules_are_about_alarms_first_and_behaviours_only_where_they_change() -> None:
    rules = read_rules(ROOT / "deploy/alerts.json")
    assert [(rule.kind, rule.source) for rule in rules] == [("threshold", "alarms"), ("change", "alarms"), ("change", "behaviors")]


def dockerfile() -> str:
    return (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")


def test_the_image_gets_every_package_and_only_what_is_copied() -> None:
    copied = [source for line in re.findall(r"^COPY (?!--from)(.*)$", dockerfile(), re.MULTILINE) for source in line.split()[:-1]]
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    (listed,) = re.findall(r"^FOLDERS = \((.*)\)$", (ROOT / "setup.py").read_text(encoding="utf-8"), re.MULTILINE)
    folders = re.findall(r'"(\w+)"', listed)
    assert len(folders) == 5
    assert {"grice", *folders} <= set(copied)
    assert sorted(copied) == sorted(kept)
    for source in copied:
        assert (ROOT / source).exists()
        assert not any(fnmatch.fnmatch(source, pattern) for pattern in ("*.env", "shared*", "runs*", "tests*"))


def test_the_image_installs_its_lock_and_runs_as_nobody_special() -> None:
    assert "--require-hashes --requirement requirements/image.txt" in dockerfile()
    assert re.findall(r"^USER (.*)$", dockerfile(), re.MULTILINE) == ["10001:10001"]
    images = re.findall(r"^FROM (\S+)", dockerfile(), re.MULTILINE)
    assert set(images) == {"python:3.11-slim-bookworm"}


def exercised() -> Iterator[Metric]:
    """Every metric of the service and of the monitor, with its labels in use."""
    service = Metrics()
    service.request("POST", "/v1/turns", 200, 0.1)
    service.queue("turns", lambda: 0, lambda: 0.0)
    service.batch("turns", 1)
    service.rejection("turns", 1)
    service.turn(TurnAnalysis("a", "a", "pass", "failed"))
    service.failure(StageFailure("directness", "RuntimeError", ""))
    service.event("bot", True)
    service.history_cut(1)
    monitor = MonitorMetrics(CollectorRegistry())
    failed = (StageFailure("monitor", "RuntimeError", ""),)
    monitor.response(scored("Red", bot_version="1.0", failures=failed, suppressed=("Ign",)))
    monitor.batch(0.1)
    monitor.judgements([Judgement("Red", True)])
    monitor.event("scored")
    monitor.trimmed("events", 1)
    monitor.dead_letter("RuntimeError")
    monitor.alert("often", "firing")
    monitor.check("done")
    monitor.webhook("delivered")
    monitor.sink("langfuse", "delivered", 9)
    yield from service.registry.collect()
    yield from monitor.registry.collect()


@pytest.fixture(scope="module")
def metrics() -> Mapping[str, set[str]]:
    """The labels of each sample that Prometheus sees."""
    found: dict[str, set[str]] = {}
    for metric in exercised():
        assert metric.samples, f"{metric.name} is not exercised"
        for sample in metric.samples:
            if not sample.name.endswith("_created"):
                found.setdefault(sample.name, set()).update(sample.labels)
    return found


def expressions(dashboard: Mapping[str, Any]) -> list[str]:
    return list(found_in(dashboard["panels"], "expr"))


def test_every_metric_of_the_dashboard_exists_with_its_labels(
    dashboard: Mapping[str, Any], metrics: Mapping[str, set[str]]
) -> None:
    labels_of_prometheus = {"job", "instance"}
    for expression in expressions(dashboard):
        used = re.findall(r"\b((?:grice|process)_\w+)(?:\{([^}]*)\})?", expression)
        assert used
        for name, selectors in used:
            assert name in metrics, expression
            named = re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selectors)
            grouped = [label.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(",")]
            assert {*named, *grouped} <= metrics[name] | labels_of_prometheus, expression
        assert all(expression.count(left) == expression.count(right) for left, right in ("()", "[]", "{}"))


def test_variables_of_the_dashboard_exist(dashboard: Mapping[str, Any], metrics: Mapping[str, set[str]]) -> None:
    variables = {each["name"]: each for each in dashboard["templating"]["list"]}
    assert set(re.findall(r"\$(\w+)", " ".join(expressions(dashboard)))) == set(variables)
    for name in ("bot_version", "channel"):
        metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variables[name]["definition"]).groups()  # type: ignore[union-attr]
        assert label in metrics[metric]


def test_every_metric_of_the_monitor_is_on_the_dashboard(dashboard: Mapping[str, Any]) -> None:
    shown = " ".join(expressions(dashboard))
    missing = [metric.name for metric in MonitorMetrics(CollectorRegistry()).registry.collect() if metric.name not in shown]
    assert missing == []


def test_the_dashboard_is_well_formed(dashboard: Mapping[str, Any]) -> None:
    assert (dashboard["uid"], dashboard["title"], dashboard["schemaVersion"]) == ("grice", "Grice", 39)
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells
        assert panel["title"]
        targets = panel.get("targets", [])
        assert bool(targets) == (panel["type"] != "row")
        assert len({target["refId"] for target in targets}) == len(targets)
