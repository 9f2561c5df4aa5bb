"""Progress of a call: a function of the caller, or a bar of tqdm."""

from __future__ import annotations

import importlib
from typing import Any, Callable, Optional, Union

from ._errors import UsageError

# True shows a bar; a function receives the number of translated texts and the number of all texts, None if unknown.
Wish = Union[bool, Callable[[int, Optional[int]], object], None]


class Progress:
    """Counts the texts of a call, in a with statement."""

    def __init__(self, wish: Wish, total: Optional[int]) -> None:
        self._make_bar: Any = None
        self._bar: Any = None  # between the beginning and the end of the with statement
        self._done = 0
        self._total = total
        self._tell = None if wish is None or isinstance(wish, bool) else wish
        if self._tell and not callable(self._tell):
            raise TypeError(f"progress must be a bool or a function, not {type(wish).__name__}")
        if wish is True:
            try:
                self._make_bar = importlib.import_module("tqdm.auto").tqdm
            except ImportError:
                raise UsageError("progress=True needs the package tqdm; install it, or give a function") from None

    @property
    def is_shown(self) -> bool:
        return self._make_bar is not None or self._tell is not None

    def add(self, count: int) -> None:
        self._done += count
        if self._bar is not None:
            self._bar.update(count)
        if self._tell:
            self._tell(self._done, self._total)

    def __enter__(self) -> "Progress":
        if self._make_bar is not None:
            self._bar = self._make_bar(total=self._total, unit="text")
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def size_of(texts: Any) -> Optional[int]:
    """The number of texts, if the iterable tells it."""
    try:
        return len(texts)
    except TypeError:
        return None
