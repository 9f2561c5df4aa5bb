"""What the package contains besides Python: the program and its models. Also the names of models."""

from __future__ import annotations

import glob
import json
import os
import subprocess
import sys
from typing import Dict, List, Optional, Union

from ._errors import FileError, UsageError

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(FOLDER, "bin", "dragoman")
MODELS = os.path.join(FOLDER, "share", "dragoman", "models")
DEFAULT_MODEL = "en-de"
SUFFIX = ".safetensors"


def models() -> List[str]:
    """Returns the names of the models that come with the package."""
    paths = glob.glob(os.path.join(glob.escape(MODELS), "*" + SUFFIX))
    return sorted(os.path.basename(path)[: -len(SUFFIX)] for path in paths)


def _working_folder() -> str:
    """The folder that relative paths, such as that in HF_HOME, start at; no program can run in one that is gone."""
    try:
        return os.getcwd()
    except OSError:
        return FOLDER


def _listed_models(folder: str) -> List[Dict[str, object]]:
    """The models that `dragoman models` lists in a folder; it runs each time, because users download models."""
    command = [PROGRAM, "models", "--format", "jsonl"]
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, cwd=folder, check=False)
    except OSError as error:
        raise FileError(f"the models cannot be listed: {error}") from error
    if run.returncode:
        reason = run.stderr.decode("utf-8", "replace").strip() or f"the program ended with {run.returncode}"
        raise FileError(f"the models cannot be listed: {reason}")
    return [json.loads(line.decode("utf-8", "replace")) for line in run.stdout.splitlines()]


def _find(name: str) -> Optional[str]:
    """The path of a model that is not in the package."""
    folder = _working_folder()
    found = [str(model["path"]) for model in _listed_models(folder) if model.get("name") == name]
    paths = sorted({os.path.abspath(os.path.join(folder, path)) for path in found})
    if len(paths) > 1:
        raise UsageError(f"{name}: several models have this name: {', '.join(paths)}; give the path of one of them")
    return paths[0] if paths else None


def _packaged(name: str) -> Optional[str]:
    return os.path.join(MODELS, name + SUFFIX) if name in models() else None


def _resolve_one(name: str) -> str:
    if not name:
        raise UsageError("the name of a model is empty")
    if os.path.exists(name) or name.startswith(("/", "./", "../")):
        return os.path.abspath(name)
    path = _packaged(name) or _find(name)
    if path is None:
        raise FileError(
            f"{name}: there is no such file, and no model of this name; the models of the package are "
            f"{', '.join(models()) or 'missing'}, and 'dragoman models' lists the others"
        )
    return path


def resolve(model: Union[str, "os.PathLike[str]", None]) -> str:
    """Returns the absolute path of a model; PATH,PATH for an ensemble."""
    if model is None:
        return _packaged(DEFAULT_MODEL) or _resolve_one(DEFAULT_MODEL)
    if not isinstance(model, (str, os.PathLike)):
        raise TypeError(f"model must be a str or a path, not {type(model).__name__}")
    text = os.fsdecode(model)
    check_encodable("model", text)
    if isinstance(model, os.PathLike) or os.path.exists(text):
        return os.path.abspath(text)
    return ",".join(_resolve_one(name) for name in text.split(","))


def check_encodable(what: str, text: str) -> None:
    """Raises UsageError for a text that cannot be given to the library."""
    if "\0" in text:
        raise UsageError(f"{what}: contains a NUL character")
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UsageError(f"{what}: contains a lone surrogate") from None


def main() -> None:
    """Replaces this process by the program."""
    if not os.path.exists(PROGRAM):
        sys.exit(f"dragoman: {PROGRAM}: the package does not contain the program; install the wheel again")
    os.execv(PROGRAM, [PROGRAM, *sys.argv[1:]])
