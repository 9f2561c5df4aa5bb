"""The paths of models: from their names, from languages, and from the user's configuration (dragoman_hub.h)."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Union

from . import _library
from ._engine import opening
from ._errors import UsageError
from ._library import quick, waiting
from ._options import Settings
from ._program import FOLDER, check_encodable


class Choice(NamedTuple):
    """The absolute paths of the models that are used if none is named, and the pivot language of two."""

    paths: List[str]
    via: Optional[str]


@contextlib.contextmanager
def _hub() -> Iterator[ctypes.c_void_p]:
    """The models on this machine. They are listed each time they are needed, because users download models."""
    hub = ctypes.c_void_p()
    settings = _library.DragomanHubSettings(os.fsencode(os.path.join(FOLDER, "bin")), False, None, None)
    error = _library.DragomanError()
    with opening:
        try:
            _library.check(waiting.hub_open(hub, settings, error), error)
            yield hub
        finally:
            waiting.hub_close(hub)


def _absolute(path: bytes) -> str:
    text = os.fsdecode(path)
    return text if os.path.isabs(text) and ".." not in text else os.path.abspath(text)


def _find(name: str) -> str:
    if not name:
        raise UsageError("the name of a model is empty")
    path = ctypes.c_void_p()
    error = _library.DragomanError()
    with _hub() as hub:
        _library.check(waiting.hub_find(hub, os.fsencode(name), path, error), error)
    try:
        return _absolute(ctypes.string_at(path.value or 0))
    finally:
        quick.free_text(path)


def shown(path: str) -> str:
    """The name of a model for people: the last part of its path, or ORG/NAME in the cache of Hugging Face's programs."""
    cached = [part for part in path.split(os.sep) if part.startswith("models--")]
    return cached[-1][len("models--") :].replace("--", "/") if cached else os.path.basename(path)


def resolve(model: Union[str, "os.PathLike[str]"]) -> str:
    """Returns the absolute path of a model; PATH,PATH for an ensemble."""
    if not isinstance(model, (str, os.PathLike)):
        raise TypeError(f"model must be a str or a path, not {type(model).__name__}")
    text = os.fsdecode(model)
    check_encodable("model", text)
    if isinstance(model, os.PathLike) or os.path.exists(text):
        return os.path.abspath(text)
    return ",".join(_find(name) for name in text.split(","))


def choose(from_: Optional[str], to: Optional[str]) -> Choice:
    """Returns what the program uses without -m: the user's model, or one or two models for the languages."""
    choice = ctypes.POINTER(_library.DragomanChoice)()
    error = _library.DragomanError()
    codes = [None if code is None else code.encode("utf-8") for code in (from_, to)]
    with _hub() as hub:
        _library.check(waiting.hub_choose(hub, None, 0, codes[0], codes[1], choice, error), error)
        try:
            chosen = choice.contents
            paths = [_absolute(path) for path in chosen.paths[: chosen.count]]
            return Choice(paths, _library.decode(chosen.via) or None)
        finally:
            quick.choice_free(choice)


def read_json(path: str, name: str) -> Optional[Dict[str, Any]]:
    """Returns a JSON file of a model; None if it has no such file."""
    text = ctypes.c_void_p()
    error = _library.DragomanError()
    with opening, Settings([path], {}) as settings:
        _library.check(waiting.model_json(settings, os.fsencode(name), text, error), error)
    try:
        read = json.loads(ctypes.string_at(text.value)) if text.value else None
        return read if isinstance(read, dict) else None
    finally:
        quick.free_text(text)
