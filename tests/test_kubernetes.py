"""What can be checked of deploy/kubernetes without a cluster: schemas, names, settings."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from grice.middleware.alerts import AlertSettings
from grice.middleware.capabilities import capability_settings
from grice.middleware.events.redis_stream import stream_keys
from grice.middleware.monitor import MonitorSettings
from grice.middleware.service.http.metrics import Metrics
from grice.middleware.settings import PipelineSettings, ServiceSettings, from_environment
from grice.middleware.stream import WorkerSettings

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "deploy" / "kubernetes"
SETTINGS: dict[str, tuple[type[Any], ...]] = {
    "grice-service": (ServiceSettings, capability_settings(), PipelineSettings, MonitorSettings, AlertSettings),
    "grice-worker": (WorkerSettings, MonitorSettings, AlertSettings),
    "grice-batch": (PipelineSettings, MonitorSettings),
}
SECRETS = {"redis-url", "events-redis-url", "redis-password", "api-keys"}
OTHERS = {"keda.sh/v1alpha1", "kustomize.config.k8s.io/v1beta1"}
"""Kinds that Kubernetes itself has no schema of; their fields are looked at below."""


def documents() -> Iterator[Mapping[str, Any]]:
    for path in sorted(FOLDER.glob("*.yaml")):
        yield from YAML(typ="safe").load_all(path.read_text(encoding="utf-8"))


def find(kind: str, name: str) -> Mapping[str, Any]:
    (found,) = [each for each in documents() if each["kind"] == kind and each.get("metadata", {}).get("name") == name]
    return found


def pods() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for each in documents():
        if each["kind"] in ("Deployment", "Job"):
            yield each["metadata"]["name"], each["spec"]["template"]["spec"]


@pytest.mark.parametrize(
    "document", [each for each in documents() if each["apiVersion"] not in OTHERS], ids=lambda each: each["kind"]
)
def test_documents_have_the_shape_that_kubernetes_asks_for(document: Mapping[str, Any]) -> None:
    """By the schemas of Kubernetes' own API that the package kubernetes-validate brings; unknown fields are errors."""
    import kubernetes_validate

    kubernetes_validate.validate(dict(document), "1.30", strict=True)


def test_unknown_fields_are_errors() -> None:
    import kubernetes_validate

    changed = dict(find("PodDisruptionBudget", "grice-worker"))
    changed["spec"] = {**changed["spec"], "maxUnavailible": 1}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(changed, "1.30", strict=True)


def test_all_documents_are_listed() -> None:
    listed = YAML(typ="safe").load((FOLDER / "kustomization.yaml").read_text())["resources"]
    assert sorted(listed) == sorted(path.name for path in FOLDER.glob("*.yaml") if path.name != "kustomization.yaml")


@pytest.mark.parametrize("name", sorted(SETTINGS))
def test_every_variable_is_a_setting_with_a_value_that_it_takes(name: str) -> None:
    (container,) = dict(pods())[name]["containers"]
    given = dict(find("ConfigMap", "grice")["data"]) if container.get("envFrom") else {}
    given |= {each["name"]: each["value"] for each in container["env"] if "value" in each}
    secret = {each["name"]: each["valueFrom"]["secretKeyRef"] for each in container["env"] if "valueFrom" in each}
    known = {f"GRICE_{field.upper()}" for kinds in SETTINGS.values() for kind in kinds for field in kind.__dataclass_fields__}
    ours = {variable for variable in (*given, *secret) if variable.startswith("GRICE_")}
    assert ours <= known
    assert {each["name"] for each in secret.values()} <= {"grice"}
    assert {each["key"] for each in secret.values()} <= SECRETS
    secrets = dict.fromkeys(secret, "redis://one redis://two") | {"GRICE_API_KEYS": "a-key-of-sixteen-characters"}
    for kind in SETTINGS[name]:
        from_environment(kind, {**given, **{variable: secrets[variable] for variable in secret}})


@pytest.mark.parametrize("name", ["grice-service", "grice-worker"])
def test_commands_and_probes_are_ours(name: str) -> None:
    (container,) = dict(pods())[name]["containers"]
    program, command = container["command"]
    assert program == "grice"
    importlib.import_module(f"grice.middleware.cli.{command}").add_arguments(argparse.ArgumentParser())
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    environment = {each["name"]: each.get("value") for each in container["env"]}
    assert str(next(iter(ports.values()))) in (environment.get("GRICE_PORT"), environment.get("GRICE_METRICS_PORT"))
    probes = [probe for kind, probe in container.items() if kind.endswith("Probe")]
    assert len(probes) >= 2
    for probe in probes:
        assert probe["httpGet"]["port"] in ports
        assert probe["httpGet"]["path"] in ("/health/live", "/health/ready", "/health")


@pytest.mark.parametrize(("name", "pod"), list(pods()), ids=lambda each: each if isinstance(each, str) else "")
def test_pods_have_limits_and_no_rights(name: str, pod: Mapping[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"]
    assert not pod["automountServiceAccountToken"]
    (container,) = pod["containers"]
    for kind in ("requests", "limits"):
        assert set(container["resources"][kind]) == {"cpu", "memory"}
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert container["securityContext"]["readOnlyRootFilesystem"]
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    assert mounted == {volume["name"] for volume in pod["volumes"]}
    assert f"USER {pod['securityContext']['runAsUser']}:" in (ROOT / "Dockerfile").read_text()


@pytest.mark.parametrize("name", ["grice-service", "grice-worker"])
def test_what_belongs_together_has_the_same_names(name: str) -> None:
    deployment = find("Deployment", name)
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == labels
    assert find("PodDisruptionBudget", name)["spec"]["selector"]["matchLabels"] == labels
    scaler = find("HorizontalPodAutoscaler", name) if name == "grice-service" else find("ScaledObject", name)
    assert scaler["spec"]["scaleTargetRef"]["name"] == name
    if name == "grice-worker":
        assert "replicas" not in deployment["spec"], "KEDA decides"


def test_pods_are_given_the_time_that_they_need_to_stop() -> None:
    grace = {name: pod["terminationGracePeriodSeconds"] for name, pod in pods() if "terminationGracePeriodSeconds" in pod}
    drain_s = getattr(ServiceSettings(), "drain_s", 25.0)
    (container,) = dict(pods())["grice-service"]["containers"]
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert grace["grice-service"] > pause + drain_s
    assert grace["grice-worker"] > MonitorSettings().judge_deadline_s


def test_triggers_are_those_of_our_streams_and_group() -> None:
    """The fields of KEDA's redis-streams trigger: address, stream, consumerGroup, lagCount, and where the password is."""
    config = find("ConfigMap", "grice")["data"]
    partitions = int(config["GRICE_EVENTS_PARTITIONS"])
    spec = find("ScaledObject", "grice-worker")["spec"]
    printed = run_triggers(partitions, ["redis-a:6379", "redis-b:6379"])
    assert len(printed) == 2 * partitions
    for trigger in spec["triggers"]:
        assert trigger in printed
    about = [each["metadata"] for each in printed]
    assert {each["stream"] for each in about} == set(stream_keys(config["GRICE_EVENTS_STREAM"], partitions))
    assert {each["consumerGroup"] for each in about} == {WorkerSettings().events_group}
    (reference,) = find("TriggerAuthentication", "grice-redis")["spec"]["secretTargetRef"]
    assert (reference["name"], reference["key"] in SECRETS) == ("grice", True)
    assert spec["maxReplicaCount"] <= partitions, "a worker more than partitions would have nothing to do"


def run_triggers(partitions: int, addresses: list[str]) -> list[Mapping[str, Any]]:
    spec = importlib.util.spec_from_file_location("triggers", FOLDER / "triggers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: list[Mapping[str, Any]] = YAML(typ="safe").load("\n".join(module.triggers(partitions, addresses)))
    return found


TEXT = {"type": "string", "minLength": 1}
RULE: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["seriesQuery", "resources", "metricsQuery"],
    "properties": {
        "seriesQuery": TEXT,
        "seriesFilters": {"type": "array"},
        "resources": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "template": TEXT,
                "overrides": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["resource"],
                        "properties": {"group": TEXT, "resource": TEXT},
                    },
                },
            },
        },
        "name": {"type": "object", "additionalProperties": False, "properties": {"matches": TEXT, "as": TEXT}},
        "metricsQuery": TEXT,
    },
}
"""A rule of the Prometheus adapter, by its own `DiscoveryRule` (pkg/config/config.go), which takes no other field."""


def adapter_rule() -> Mapping[str, Any]:
    """The one rule of the values for the adapter's chart."""
    values = YAML(typ="safe").load((ROOT / "deploy" / "prometheus-adapter.yaml").read_text(encoding="utf-8"))
    assert set(values) == {"prometheus", "rules"}
    assert set(values["prometheus"]) == {"url", "port"}
    assert set(values["rules"]) == {"default", "custom"}
    assert values["rules"]["default"] is False, "one of the default rules would add the ages of all models up"
    (rule,) = values["rules"]["custom"]
    return dict(rule)


def asked_for(pods: Sequence[str]) -> str:
    """What the adapter asks Prometheus when the HPA asks for the metric of these pods: `GroupBy` is the label of the pods."""
    rule = adapter_rule()
    labels = {each["resource"]: label for label, each in rule["resources"]["overrides"].items()}
    given = {
        "Series": find("HorizontalPodAutoscaler", "grice-service")["spec"]["metrics"][0]["pods"]["metric"]["name"],
        "LabelMatchers": f'{labels["namespace"]}="grice",{labels["pod"]}=~"{"|".join(pods)}"',
        "GroupBy": labels["pod"],
    }
    found: str = re.sub(r"<<\.(\w+)>>", lambda match: given[match[1]], rule["metricsQuery"])
    return found


def test_the_adapter_offers_the_metric_that_the_autoscaler_asks_for() -> None:
    import jsonschema

    rule = adapter_rule()
    jsonschema.validate(rule, RULE)
    (metric,) = [
        each["pods"] for each in find("HorizontalPodAutoscaler", "grice-service")["spec"]["metrics"] if each["type"] == "Pods"
    ]
    offered = re.match(r"\w+", rule["seriesQuery"])
    assert offered is not None
    assert offered[0] == metric["metric"]["name"]
    service = Metrics()
    service.queue("turns", lambda: 0, lambda: 0.0)
    (found,) = [each for each in service.registry.collect() if each.name == offered[0]]
    assert [set(sample.labels) for sample in found.samples] == [{"model"}], "the ages of several models are one value of a pod"
    assert "max" in asked_for(["a"])
    assert {each["resource"] for each in rule["resources"]["overrides"].values()} == {"namespace", "pod"}
    annotations = find("Deployment", "grice-service")["spec"]["template"]["metadata"]["annotations"]
    assert annotations == {"prometheus.io/scrape": "true", "prometheus.io/port": "8300"}


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool (Prometheus) is not installed")
def test_prometheus_tells_one_age_a_pod(tmp_path: Path) -> None:
    """The query that the adapter makes, in Prometheus' own test of queries: the model that waits longest, over a minute."""
    name = find("HorizontalPodAutoscaler", "grice-service")["spec"]["metrics"][0]["pods"]["metric"]["name"]
    ages = {("grice", "a", "turns"): "0.3x6", ("grice", "a", "mind"): "0.1x6", ("grice", "b", "turns"): "0x6"}
    ages |= {("grice", "c", "turns"): "9x6", ("other", "a", "turns"): "7x6"}
    series = [
        {"series": f'{name}{{namespace="{space}",pod="{pod}",model="{model}"}}', "values": values.replace("x", "+0x")}
        for (space, pod, model), values in ages.items()
    ]
    samples = [{"labels": f'{{pod="{pod}"}}', "value": value} for pod, value in (("a", 0.3), ("b", 0))]
    count = {"expr": f"count({adapter_rule()['seriesQuery']})", "eval_time": "1m", "exp_samples": [{"labels": "{}", "value": 5}]}
    case = {"expr": asked_for(["a", "b"]), "eval_time": "1m", "exp_samples": samples}
    path = tmp_path / "queries.json"  # JSON is YAML
    path.write_text(json.dumps({"tests": [{"interval": "10s", "input_series": series, "promql_expr_test": [case, count]}]}))
    outcome = subprocess.run(["promtool", "test", "rules", str(path)], capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_the_batch_job_reads_what_the_image_can_read() -> None:
    """Parquet needs an extra that the image's lock does not have."""
    told = (FOLDER / "batch.yaml").read_text(encoding="utf-8")
    locked = (ROOT / "requirements" / "image.txt").read_text(encoding="utf-8")
    assert "pyarrow==" in locked or ".parquet" not in told
