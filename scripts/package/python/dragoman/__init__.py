"""Translates text with neural models.

    import dragoman

    print(dragoman.translate("Where is the train station?"))

help(dragoman.Translator) lists all options. dragoman.pipeline() is pipeline("translation", ...) of transformers 4.
"""

from ._errors import Error, FileError, FormatError, OutOfMemoryError, TranslationWarning, UnsupportedError, UsageError
from ._library import decode as _decode
from ._library import quick as _quick
from ._open_models import close_models, translate, translate_file
from ._pipeline import TranslationPipeline, pipeline
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
    "TranslationPipeline",
    "TranslationWarning",
    "Translator",
    "UnsupportedError",
    "UsageError",
    "close_models",
    "languages",
    "models",
    "pipeline",
    "translate",
    "translate_file",
    "version",
]
