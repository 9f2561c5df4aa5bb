"""Translates text with neural models.

    import dragoman

    with dragoman.Translator() as translator:
        print(translator.translate("Where is the train station?"))
"""

from ._errors import Error, FileError, FormatError, OutOfMemoryError, TranslationWarning, UnsupportedError, UsageError
from ._library import decode as _decode
from ._library import quick as _quick
from ._program import models
from ._results import Alignment, Hypothesis, Score, Translation
from ._translator import Languages, Translator, languages

__version__ = _decode(_quick.version())


def version() -> str:
    """Returns the version of dragoman, such as "0.2.0"."""
    return __version__


__all__ = [
    "Alignment",
    "Error",
    "FileError",
    "FormatError",
    "Hypothesis",
    "Languages",
    "OutOfMemoryError",
    "Score",
    "Translation",
    "TranslationWarning",
    "Translator",
    "UnsupportedError",
    "UsageError",
    "languages",
    "models",
    "version",
]
