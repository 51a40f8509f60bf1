"""What is in ``deploy/``, as far as it can be checked without an engine or a cluster. ``tests/containers`` runs it."""

import os
import re
import shutil
import stat
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from msgspec.structs import fields

from services.cli.commands import app
from services.settings import Settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
CLUSTER = (DEPLOY / "kubernetes", DEPLOY / "proxy")
KUBERNETES = "1.37"
SETTINGS = {f"KIBITZ_{field.name.upper()}" for field in fields(Settings)}
COMMANDS = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
HEALTH = ("python3", "-m", "services.health")
PATHS = {"/health/live", "/health/ready"}


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def documents() -> Iterator[dict[str, Any]]:
    """The resources of the cluster, as they are written."""
    for folder in CLUSTER:
        for path in sorted(folder.glob("*.yaml")):
            if path.name != "kustomization.yaml":
                yield from yaml.safe_load_all(path.read_text(encoding="utf-8"))


def named(document: dict[str, Any]) -> str:
    return f"{document['kind']}/{document['metadata']['name']}"


DOCUMENTS = {named(document): document for document in documents()}
PODS = {
    name: document["spec"]["template"] for name, document in DOCUMENTS.items() if "template" in document.get("spec", {})
}
COMPOSE = read(DEPLOY / "compose.yaml")


def check_settings(names: set[str]) -> None:
    """Each may be set, as it stands or as a file; none is given both ways."""
    ours = {name for name in names if name.startswith("KIBITZ_")}
    assert {name.removesuffix("_FILE") for name in ours} <= SETTINGS
    assert not {name for name in ours if f"{name}_FILE" in ours}


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deploy") / "secrets"
    subprocess.run([DEPLOY / "secrets.sh", folder], check=True)
    return folder


# --- settings and secrets ---


def test_every_setting_is_documented_and_the_example_names_no_others():
    documented = set(re.findall(r"`(KIBITZ_[A-Z_]+)`", (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")))
    assert documented >= SETTINGS
    lines = (DEPLOY / "settings.env").read_text(encoding="utf-8").splitlines()
    check_settings({line.partition("=")[0] for line in lines if line and not line.startswith("#")})


def test_secrets_are_made_once_and_only_their_owner_gets_at_them(secrets: Path):
    before = {path.name: path.read_text() for path in secrets.iterdir()}
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
    passwords = [text for name, text in before.items() if name.endswith("_password")]
    assert len(set(passwords)) == len(passwords) == 4
    assert all(re.fullmatch("[0-9a-f]{48}", text) for text in passwords)
    for who, account in (("owner", "kibitz"), ("service", "kibitz_service")):
        assert before[f"{who}_url"] == f"postgresql://{account}:{before[f'{who}_password']}@postgres:5432/kibitz"
    assert before["redis_url"] == f"redis://:{before['redis_password']}@valkey:6379/0"
    # a second run, for other servers, changes nothing that is there
    (secrets / "redis_url").unlink()
    subprocess.run([DEPLOY / "secrets.sh", secrets], check=True, env=os.environ | {"REDIS_HOST": "elsewhere:1"})
    after = {path.name: path.read_text() for path in secrets.iterdir()}
    assert after == before | {"redis_url": f"redis://:{before['redis_password']}@elsewhere:1/0"}


# --- the image ---


def test_an_image_is_made_of_all_that_the_wheel_has_and_of_nothing_secret():
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].keys() - {"dev"}  # each is a value of EXTRA
    locks = {"requirements.lock", "requirements-build.lock", *(f"requirements-{extra}.lock" for extra in extras)}
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert set(kept) == {*included, "pyproject.toml", "README.md", *locks}
    assert all((ROOT / path).exists() for path in kept)


def test_an_image_is_made_by_the_locks_alone_and_runs_as_nobody():
    text = (DEPLOY / "Dockerfile").read_text()
    steps = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", text)).splitlines()
    installs = [step for step in steps if "pip install" in step or "python install" in step]
    assert installs
    for install in re.findall(r"(?<!un)install [^&]*", "\n".join(installs)):
        assert "--require-hashes" in install or "--no-index" in install, install
    final = steps[max(number for number, step in enumerate(steps) if step.startswith("FROM ")) :]
    said = {step.partition(" ")[0]: step.partition(" ")[2].strip() for step in final}
    assert said["USER"] == "10001:10001"
    assert said["ENTRYPOINT"] == '["kibitz"]'
    assert yaml.safe_load(said["CMD"])[0] in COMMANDS
    assert yaml.safe_load(said["HEALTHCHECK"].partition("CMD ")[2]) == list(HEALTH)
    check_settings(set(re.findall(r"KIBITZ_[A-Z_]+(?==)", text)))


def test_what_builds_the_wheel_is_locked_at_the_version_that_the_tests_use():
    def pins(name: str) -> set[str]:
        return set(re.findall(r"(?m)^([\w.-]+==[^ ;]+)", (ROOT / name).read_text()))

    assert "hatchling" in {pin.partition("==")[0] for pin in pins("requirements-build.lock")}
    assert pins("requirements-build.lock") <= pins("requirements-dev.lock")


# --- compose ---


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_container_can_write_nowhere_and_become_nobody_else(name: str):
    service = COMPOSE["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    ours_or_haproxys = service["image"].startswith(("${IMAGE", "haproxy:"))  # whose image says who it runs as
    assert ours_or_haproxys or service["user"] != "0"
    assert service.get("healthcheck") or name == "api"  # which has the one of the image


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_container_is_told_settings_that_there_are_and_secrets_that_it_gets(name: str, secrets: Path):
    service = COMPOSE["services"][name]
    told = service.get("environment", {})
    check_settings(set(told))
    files = {path.name for path in secrets.iterdir()}
    assert set(service.get("secrets", [])) <= COMPOSE["secrets"].keys() <= files
    mounted = {f"/run/secrets/{secret}" for secret in service.get("secrets", [])}
    assert {value for value in told.values() if value.startswith("/run/secrets/")} <= mounted
    assert not [value for value in told.values() if "://" in value]
    if service["image"].startswith("${IMAGE"):
        assert service.get("command", ["serve"])[0] in COMMANDS
        assert "KIBITZ_LOG_LEVEL" not in told  # what is told here, kibitz.env cannot change
    for volume in service.get("volumes", []):
        if volume.startswith("."):
            assert (DEPLOY / volume.partition(":")[0]).exists()


def test_only_who_migrates_has_the_account_that_may_change_the_schema_and_only_the_proxy_is_reached():
    services = COMPOSE["services"]
    assert [name for name, service in services.items() if "owner_url" in service.get("secrets", [])] == ["migrate"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert services["api"]["deploy"]["replicas"] == 2
    assert COMPOSE["networks"]["servers"] == {"internal": True}
    assert not set(services["proxy"]["networks"]) & set(services["postgres"]["networks"])


@pytest.mark.skipif(shutil.which("docker") is None, reason="there is no docker on PATH")
def test_compose_takes_the_files():
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode:
        pytest.skip("docker has no compose")
    for files in (["compose.yaml"], ["compose.yaml", "compose.tls.yaml"], ["compose.yaml", "compose.oidc.yaml"]):
        named_files = [part for file in files for part in ("--file", str(DEPLOY / file))]
        command = ["docker", "compose", *named_files, "config", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_whoever_runs_the_stack_has_a_place_for_settings_that_git_does_not_keep():
    theirs = {name: service for name, service in COMPOSE["services"].items() if service["image"].startswith("${IMAGE")}
    assert set(theirs) == {"migrate", "api", "projector"}
    for service in theirs.values():
        assert service["env_file"] == [{"path": "kibitz.env", "required": False}]
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"/deploy/kibitz.env", "/deploy/secrets/", "/secrets/"} <= set(ignored)
    # and for the one secret among them, which is a file
    over = read(DEPLOY / "compose.oidc.yaml")
    [(name, service)] = over["services"].items()
    assert name in theirs
    check_settings(set(service["environment"]))
    assert {f"/run/secrets/{secret}" for secret in over["secrets"]} == set(service["environment"].values())
    assert service["secrets"] == list(over["secrets"])


# --- the cluster ---


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_resource_is_what_its_schema_says(name: str):
    kubernetes_validate.validate(DOCUMENTS[name], KUBERNETES, strict=True)


def test_a_resource_that_is_not_what_its_schema_says_is_found():
    wrong = DOCUMENTS["Deployment/api"] | {"spec": DOCUMENTS["Deployment/api"]["spec"] | {"replica": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, KUBERNETES, strict=True)


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl on PATH")
def test_kustomize_makes_of_the_files_what_the_schemas_say():
    done = subprocess.run(["kubectl", "kustomize", DEPLOY / "kubernetes"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = list(yaml.safe_load_all(done.stdout))
    for document in made:
        kubernetes_validate.validate(document, KUBERNETES, strict=True)
    assert len(made) == len(DOCUMENTS) + 1  # haproxy.cfg
    assert {document["metadata"].get("namespace", "kibitz") for document in made} == {"kibitz"}


def test_every_file_of_the_cluster_is_used():
    for folder in CLUSTER:
        resources = {name for name in read(folder / "kustomization.yaml")["resources"] if name.endswith(".yaml")}
        assert resources == {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}


@pytest.mark.parametrize("name", PODS)
def test_a_pod_can_write_nowhere_and_become_nobody_else(name: str):
    spec = PODS[name]["spec"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["runAsUser"] > 0
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    for container in spec["containers"]:
        assert container["securityContext"] == {
            "readOnlyRootFilesystem": True,
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"]["memory"]


@pytest.mark.parametrize("name", PODS)
def test_a_pod_is_told_settings_that_there_are_and_secrets_that_it_gets(name: str, secrets: Path):
    spec = PODS[name]["spec"]
    [container] = spec["containers"]
    told = {each["name"]: each["value"] for each in container.get("env", [])}
    check_settings(set(told))
    items = [item for volume in spec["volumes"] for item in volume.get("secret", {}).get("items", [])]
    assert {item["key"] for item in items} <= {path.name for path in secrets.iterdir()}
    [*places] = [mount["mountPath"] for mount in container["volumeMounts"] if mount["name"] == "secrets"]
    mounted = {f"{place}/{item['path']}" for place in places for item in items}
    asked = {value for value in (*told.values(), *container["args"]) if "/run/secrets/" in value}
    assert asked == mounted
    assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in spec["volumes"]}
    if container["image"] == "kibitz":
        assert container["envFrom"] == [{"configMapRef": {"name": "kibitz-settings", "optional": True}}]
        assert container["args"][0] in COMMANDS
        assert ("owner_url" in {item["key"] for item in items}) == (name == "Job/migrate")


def test_probes_ask_what_is_answered():
    asked = set()
    for pod in PODS.values():
        for container in pod["spec"]["containers"]:
            for kind in ("startupProbe", "livenessProbe", "readinessProbe"):
                match container.get(kind, {}):
                    case {"httpGet": {"path": path, "port": "http"}}:
                        asked.add(path)
                    case {"exec": {"command": command}}:
                        assert command == [*HEALTH, "--projector"]
    assert asked == PATHS


def test_what_selects_pods_finds_some_and_what_scales_has_its_deployment():
    labels = [pod["metadata"]["labels"]["app.kubernetes.io/name"] for pod in PODS.values()]
    for name, document in DOCUMENTS.items():
        text = yaml.safe_dump(document["spec"]) if "spec" in document else ""
        found = re.findall(r"app\.kubernetes\.io/name: (\S+)", text)
        assert set(found) <= set(labels), name
        if "scaleTargetRef" in document.get("spec", {}):
            assert named({"kind": "Deployment", "metadata": document["spec"]["scaleTargetRef"]}) in DOCUMENTS
    budgets = {name for name in DOCUMENTS if name.startswith("PodDisruptionBudget/")}
    assert budgets == {"PodDisruptionBudget/api", "PodDisruptionBudget/proxy"}


def test_no_setting_of_an_operator_moves_a_process_from_where_the_proxy_asks():
    told = COMPOSE["services"]["api"]["environment"]
    assert told["KIBITZ_HOST"] == "0.0.0.0"
    assert COMPOSE["services"]["proxy"]["environment"]["API"] == f"api:{told['KIBITZ_PORT']}"
    [container] = PODS["Deployment/api"]["spec"]["containers"]
    told = {each["name"]: each["value"] for each in container["env"]}
    assert told["KIBITZ_HOST"] == "0.0.0.0"
    assert {str(port["containerPort"]) for port in container["ports"]} == {told["KIBITZ_PORT"]}
    [api] = [
        each["value"] for each in PODS["Deployment/proxy"]["spec"]["containers"][0]["env"] if each["name"] == "API"
    ]
    assert api == f"api.kibitz.svc.cluster.local:{told['KIBITZ_PORT']}"


def test_the_proxy_is_the_same_for_compose_and_for_the_cluster():
    assert read(DEPLOY / "proxy" / "kustomization.yaml")["configMapGenerator"] == [
        {"name": "proxy", "files": ["haproxy.cfg"]}
    ]
    assert any("proxy/haproxy.cfg" in volume for volume in COMPOSE["services"]["proxy"]["volumes"])
    variables = set(re.findall(r"\$\{(\w+)", (DEPLOY / "proxy" / "haproxy.cfg").read_text()))
    assert variables == set(COMPOSE["services"]["proxy"]["environment"])
    assert variables == {each["name"] for each in PODS["Deployment/proxy"]["spec"]["containers"][0]["env"]}
