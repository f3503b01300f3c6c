"""What can be checked of deploy/kubernetes and deploy/nginx.conf without a cluster: schemas, names, settings, and a real nginx."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis_process import eventually
from ruamel.yaml import YAML

from grice.middleware.alerts import AlertSettings
from grice.middleware.capabilities import capability_settings
from grice.middleware.events.redis_stream import stream_keys
from grice.middleware.monitor import MonitorSettings
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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Named(BaseHTTPRequestHandler):
    """Answers with its port; one that is full says so."""

    protocol_version = "HTTP/1.1"
    full: int = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        port = self.connection.getsockname()[1]
        body = str(port).encode()
        self.send_response(429 if port == type(self).full else 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None: ...


@contextmanager
def replica(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_nginx_shares_requests_and_asks_another_where_one_is_full_or_away(tmp_path: Path) -> None:
    class Replica(Named):
        """With a state of this test's own."""

    with replica(Replica) as first, replica(Replica) as second:
        ports = [first, second]
        gone, port = free_port(), free_port()
        text = (ROOT / "deploy" / "nginx.conf").read_text()
        for before, after in (("8300", ports[0]), ("8310", ports[1]), ("8080", port)):
            assert f"127.0.0.1:{before}" in text
            text = text.replace(f"127.0.0.1:{before}", f"127.0.0.1:{after}")
        for name, given in (("two", text), ("one-away", text.replace(f":{ports[1]} ", f":{gone} "))):
            with nginx(tmp_path / name, given, port):
                said = {httpx.post(f"http://127.0.0.1:{port}/v1/turns", json={}, trust_env=False).text for _ in range(40)}
                assert said == {str(each) for each in (ports if name == "two" else ports[:1])}
                if name == "two":
                    Replica.full = ports[0]
                    answers = [httpx.post(f"http://127.0.0.1:{port}/v1/turns", json={}, trust_env=False) for _ in range(20)]
                    assert {each.status_code for each in answers} == {200}
                    assert {each.text for each in answers} == {str(ports[1])}
                    Replica.full = 0


@contextmanager
def nginx(folder: Path, text: str, port: int) -> Iterator[None]:
    folder.mkdir()
    (folder / "nginx.conf").write_text(text)
    options = ["-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "log")]
    more = f"daemon off; pid {folder}/pid; error_log {folder}/log;"
    with subprocess.Popen(["nginx", *options, "-g", more]) as process:

        def answers() -> bool:
            assert process.poll() is None, (folder / "log").read_text()
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        try:
            eventually(answers)
            yield
        finally:
            process.terminate()


def test_nginx_waits_longer_for_bodies_than_a_client_needs_and_takes_what_the_service_takes() -> None:
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", text)
    assert int(megabytes) * 1024 * 1024 >= ServiceSettings().max_body_bytes
    assert "least_conn;" in text


def test_the_batch_job_reads_what_the_image_can_read() -> None:
    """Parquet needs an extra that the image's lock does not have."""
    told = (FOLDER / "batch.yaml").read_text(encoding="utf-8")
    locked = (ROOT / "requirements" / "image.txt").read_text(encoding="utf-8")
    assert "pyarrow==" in locked or ".parquet" not in told
