"""Models that stay open between calls: those of dragoman.translate() and of pipelines."""

from __future__ import annotations

import os
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Iterable, List, Sequence, Union, overload

from ._engine import opening
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


def opened(model: Models, **options: Any) -> Translator:
    """Returns a Translator with these options. The last MOST of them stay open."""
    given = sorted((name, value) for name, value in options.items() if value is not None)
    key = repr((model, given, os.getcwd(), os.environ.get("DRAGOMAN_MODEL")))
    with opening:  # so that two threads do not open the same model twice
        translator = _open.get(key)
        if translator is None or translator._closed:
            if len(_recent) >= MOST:  # before another one takes memory
                _recent.popitem(last=False)
            translator = _open[key] = Translator(model, **options)
        _recent[key] = translator
        _recent.move_to_end(key)
        while len(_recent) > MOST:
            _recent.popitem(last=False)
        return translator


def close_models() -> None:
    """Frees the models that translate() keeps open. Calls and pipelines that use one keep it."""
    with opening:
        _recent.clear()


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
    have several lines; each is translated by itself, and the translation has the same lines.

    The four models that were used last stay open, each with its options, so that the next call does not open the model
    again; close_models() frees them.
    """
    translator = opened(model, **options)
    texts = [text] if isinstance(text, str) else _list_of(text, "lines")
    if details or not any(isinstance(one, str) and "\n" in one for one in texts):
        return translator.translate(text if isinstance(text, str) else texts, details=details, progress=progress)
    parts = [one.split("\n") if isinstance(one, str) else [one] for one in texts]
    made = iter(translator.translate([line for lines in parts for line in lines], progress=progress))
    answer = ["\n".join(next(made) for _ in lines) for lines in parts]
    return answer[0] if isinstance(text, str) else answer
