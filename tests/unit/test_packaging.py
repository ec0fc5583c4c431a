"""What is installed: the four packages and the data, and nothing else at the top of site-packages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints. The environment of the test run is kept from it."""
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME")}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=kept, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT, cwd=folder)
    (found,) = folder.glob("*.whl")
    return found


@pytest.mark.slow
def test_the_wheel_holds_the_packages_the_grammar_the_pages_and_the_games(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    (info,) = (top for top in tops if top.endswith(".dist-info"))
    assert tops == {"dsl", "interpreter", "verify", "cli", "spec", info}
    expected = {"dsl/grammar.lark", "cli/main.py", "cli/screen/table.tcss", "cli/screen/web/app_index.html"}
    for folder, pattern in (("dsl/pages", "*.md"), ("spec", "**/*.yaml"), ("spec", "*.md")):
        found = {str(path.relative_to(ROOT)) for path in (ROOT / folder).glob(pattern)}
        assert found
        expected |= found
    assert expected <= set(names)
    assert not [name for name in names if name.startswith("spec/") and name.endswith(".py")]
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]


@pytest.mark.slow
def test_the_wheel_works_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    run(programs / "pip", "install", "-q", "--disable-pip-version-check", wheel, cwd=tmp_path)
    games = sorted(path.stem for path in (ROOT / "spec" / "games").glob("*.yaml"))
    listed = run(programs / "hoyle", "games", cwd=tmp_path)
    assert all(game in listed for game in games)
    for game in games:
        assert json.loads(run(programs / "hoyle", "check", game, "--json", cwd=tmp_path)) == []
        told = json.loads(run(programs / "hoyle", "simulate", game, "--games", "1", "--json", cwd=tmp_path))
        assert told["finished"] == 1


def test_the_packages_of_the_project_file_are_the_folders_that_are_there() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert 'packages = ["dsl", "interpreter", "verify", "cli", "spec"]' in text
    for package in ("dsl", "interpreter", "verify", "cli"):
        assert (ROOT / package / "__init__.py").is_file()
    assert not (ROOT / "spec" / "__init__.py").exists()


def test_continuous_integration_runs_the_readme_s_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    readme = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [line for line in readme if ".venv/bin/pytest" in line]
    assert len(commands) == 1 and commands[0] in script
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
