"""Writes `src/stoa/v1`, the models and calls, from a contract: `python generate.py openapi.json`.

openapi-python-client reads the contract without the error responses: the client raises `StoaProblem` before a call sees one. So a
call returns what it succeeded with, and not a union with problems. `Idempotency-Key` is optional, because the client makes one.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parent / "src" / "stoa" / "v1"

# Edits of the generator's templates: a call never returns None, since an unexpected status is an exception.
EDITS = {
    "endpoint_module.py.jinja": [
        ('(return_string | as_unembedded_code) + " | None"', "return_string | as_unembedded_code"),
        (
            "    if client.raise_on_unexpected_status:\n"
            "        raise errors.UnexpectedStatus(response.status_code, response.content)\n"
            "    else:\n"
            "        return None\n",
            "    raise errors.UnexpectedStatus(response.status_code, response.content)\n",
        ),
        (") -> {{ return_string | as_unembedded_code }} | None:", ") -> {{ return_string | as_unembedded_code }}:"),
    ],
    "types.py.jinja": [("parsed: T | None", "parsed: T")],
}


def adapt(contract: dict[str, Any]) -> None:
    for path in contract["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and "responses" in operation:
                responses = operation["responses"].items()
                operation["responses"] = {status: response for status, response in responses if status.startswith("2")}
    contract["components"]["parameters"]["IdempotencyKey"]["required"] = False


def write_templates(folder: Path) -> None:
    for name, edits in EDITS.items():
        text = resources.files("openapi_python_client").joinpath("templates", name).read_text(encoding="utf-8")
        for old, new in edits:
            if old not in text:
                sys.exit(f"the generator's {name} has changed: install the version in requirements.txt")
            text = text.replace(old, new)
        (folder / name).write_text(text, encoding="utf-8")


def generate(contract: dict[str, Any]) -> None:
    adapt(contract)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_templates(folder)
        document = folder / "openapi.json"
        document.write_text(json.dumps(contract), encoding="utf-8")
        command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(document), "--meta", "none"]
        command += ["--custom-template-path", str(folder), "--output-path", str(folder / "v1"), "--fail-on-warning"]
        # The generator formats what it wrote by ruff, which is installed next to this Python and skips files that git ignores.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        subprocess.run(command, check=True, env={**os.environ, "PATH": path})
        shutil.rmtree(TARGET, ignore_errors=True)
        shutil.move(folder / "v1", TARGET)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python generate.py CONTRACT")
    generate(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    print(f"wrote {len(set(TARGET.glob('api/*/*.py')) - set(TARGET.glob('api/*/__init__.py')))} calls to {TARGET}")
