"""Models that stay open between calls: those of dragoman.translate() and of pipelines."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Sequence, Union, overload

from ._engine import opening
from ._errors import Error, at_index
from ._progress import Wish
from ._results import Translation
from ._translator import ModelPath, Translator, _list_of

if TYPE_CHECKING:
    from typing_extensions import Literal, Unpack

    from ._options import Options

Models = Union[ModelPath, Sequence[ModelPath], None]
MOST = 4  # the models that stay open although nobody uses them

_open: "weakref.WeakValueDictionary[str, Translator]" = weakref.WeakValueDictionary()
_recent: "OrderedDict[str, Translator]" = OrderedDict()  # the one that was used last is the last
_lock = threading.RLock()  # of these two; a thread that needs both locks takes `opening` first


def _plain(value: Any) -> Any:
    """A value whose repr() tells what it is. A path differs from a str, which may be a name."""
    if isinstance(value, os.PathLike):
        return ("path", os.fspath(value))
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def _key(model: Models, options: Dict[str, Any]) -> str:
    given = sorted((name, _plain(value)) for name, value in options.items() if value is not None)
    try:
        folder: Optional[str] = os.getcwd()
    except OSError:  # it was removed
        folder = None
    return repr((_plain(model), given, folder, os.environ.get("DRAGOMAN_MODEL")))


def _use(key: str, new: Optional[Translator] = None) -> Optional[Translator]:
    """Returns the open Translator with the key, which becomes the most recent one; None if there is none."""
    closed: List[Translator] = []  # they are freed at the return, without the lock
    with _lock:
        translator = new or _open.get(key)
        if translator is None or translator._closed:
            return None
        _open[key] = _recent[key] = translator
        _recent.move_to_end(key)
        while len(_recent) > MOST:
            closed.append(_recent.popitem(last=False)[1])
    return translator


def opened(model: Models, **options: Any) -> Translator:
    """Returns a Translator with these options. The last MOST of them stay open."""
    key = _key(model, options)
    translator = _use(key)
    if translator is None:
        with opening:  # so that two threads do not open the same model twice
            translator = _use(key)
            if translator is None:
                translator = Translator(model, **options)
                _use(key, translator)
    return translator


def close_models() -> None:
    """Frees the models that translate() keeps open. Calls and pipelines that use one keep it."""
    with _lock:
        closed = list(_recent.values())
        _recent.clear()
    closed.clear()


def _after_fork() -> None:
    """Another thread may have had the lock, and does not exist in the child."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@overload
def translate(  # type: ignore[overload-overlap]
    text: str,
    model: Models = None,
    *,
    details: "Literal[False]" = False,
    progress: Wish = None,
    **options: "Unpack[Options]",
) -> str: ...


@overload
def translate(  # type: ignore[overload-overlap]
    text: str, model: Models = None, *, details: "Literal[True]", progress: Wish = None, **options: "Unpack[Options]"
) -> Translation: ...


@overload
def translate(  # type: ignore[overload-overlap]
    text: str, model: Models = None, *, details: bool, progress: Wish = None, **options: "Unpack[Options]"
) -> Union[str, Translation]: ...


@overload
def translate(
    text: Iterable[str],
    model: Models = None,
    *,
    details: "Literal[False]" = False,
    progress: Wish = None,
    **options: "Unpack[Options]",
) -> List[str]: ...


@overload
def translate(
    text: Iterable[str],
    model: Models = None,
    *,
    details: "Literal[True]",
    progress: Wish = None,
    **options: "Unpack[Options]",
) -> List[Translation]: ...


@overload
def translate(
    text: Iterable[str], model: Models = None, *, details: bool, progress: Wish = None, **options: "Unpack[Options]"
) -> Union[List[str], List[Translation]]: ...


def translate(
    text: Union[str, Iterable[str]],
    model: Models = None,
    *,
    details: bool = False,
    progress: Wish = None,
    **options: "Unpack[Options]",
) -> Any:
    """Translates a text, or a list of texts. Returns a str for a str, else a list.

    The model, the options, `details` and `progress` are those of Translator and of its method translate(). A text may
    have several lines; each is translated by itself, and the translation has the same lines. With `details`, a text is
    one line.

    The four models that were used last stay open, each with its options, so that the next call does not open the model
    again; close_models() frees them.
    """
    is_one = isinstance(text, str)
    texts: List[Any] = [text] if is_one else _list_of(text, "text")
    for i, one in enumerate(texts):
        if not isinstance(one, str):
            raise TypeError(f"text[{i}] must be a str, not {type(one).__name__}")
    parts = [[one] if details else one.split("\n") for one in texts]
    lines = [line if details else line.removesuffix("\r") for part in parts for line in part]
    translator = opened(model, **options)
    try:
        made: Iterator[Any] = iter(translator.translate(lines, details=details, progress=progress))
    except Error as fault:
        place = f"lines[{fault.index}]: "
        if fault.index is None or not str(fault).startswith(place):
            raise
        owners = [i for i, part in enumerate(parts) for _ in part]
        named = type(fault)(str(fault)[len(place) :])
        raise at_index(named, "" if is_one else "text", owners[fault.index]) from None
    ends = (["\r" * line.endswith("\r") for line in part] for part in parts)
    answer = [next(made) if details else "\n".join(next(made) + end for end in part) for part in ends]
    return answer[0] if is_one else answer


def translate_file(source: ModelPath, target: ModelPath, model: Models = None, **options: "Unpack[Options]") -> None:
    """Translates a file into another one, as the method translate_file() of Translator does.

    The model stays open as after translate().
    """
    opened(model, **options).translate_file(source, target)
