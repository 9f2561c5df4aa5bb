"""pipeline("translation", ...) with the calls and the answers of transformers 4; version 5 has no such task.

The settings of a search are computed as transformers 4.57.1 does (pipelines/base.py, pipelines/text2text_generation.py and
generation/utils.py), in the same order, with its defaults and exceptions:

    pipeline(): 256 new tokens and 4 beams
                <- generation_config.json, for settings that still have the default of GenerationConfig
                <- arguments of pipeline()
                <- task_specific_params of config.json
    a call:     <- generation_config.json again, if transformers 4.50 or later has written it
                <- arguments of the call

So the 4 beams replace num_beams of the model. max_new_tokens takes precedence over max_length; its default does not if the
model or pipeline() sets max_length.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import os
import re
import warnings
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

from ._errors import UsageError
from ._job import _level
from ._models import choose, read_json, resolve, shown
from ._open_models import opened
from ._options import RENAMED, TABLE, number
from ._progress import size_of
from ._results import Translation
from ._translator import ModelPath, Translator, languages

# The settings of GenerationConfig that dragoman also has, with their defaults.
DEFAULTS: Dict[str, Any] = {
    "max_length": 20,
    "max_new_tokens": None,
    "min_length": 0,
    "min_new_tokens": None,
    "num_beams": 1,
    "num_return_sequences": 1,
    "do_sample": False,
    "temperature": 1.0,
    "top_k": 50,
    "top_p": 1.0,
    "min_p": None,
    "length_penalty": 1.0,
    "repetition_penalty": 1.0,
    "no_repeat_ngram_size": 0,
    "early_stopping": False,
}
OF_PIPELINES = {"max_new_tokens": 256, "num_beams": 4}

TRUNCATIONS = (True, False, "longest_first", "only_first", "do_not_truncate")
FILTERS = ("temperature", "top_k", "top_p", "min_p")  # have no effect without do_sample

# Arguments of pipeline() and of its calls that change no answer; docs/python.md says why.
NO_EFFECT = set(
    "framework use_fast token use_auth_token trust_remote_code dtype torch_dtype batch_size num_workers binary_output "
    "return_text use_cache cache_implementation local_files_only cache_dir low_cpu_mem_usage attn_implementation "
    "use_safetensors".split()
)
# Other arguments of generate(), with the value that asks for nothing.
UNSUPPORTED: Dict[str, Any] = {
    "typical_p": 1.0,
    "epsilon_cutoff": 0.0,
    "eta_cutoff": 0.0,
    "num_beam_groups": 1,
    "diversity_penalty": 0.0,
    "encoder_repetition_penalty": 1.0,
    "encoder_no_repeat_ngram_size": 0,
    "renormalize_logits": False,
    "remove_invalid_values": False,
    "low_memory": False,
    "output_scores": False,
    "output_logits": False,
    "output_attentions": False,
    "output_hidden_states": False,
    "return_dict_in_generate": False,
    "synced_gpus": False,
    **dict.fromkeys(
        "generation_config stop_sequence stop_strings return_type eos_token_id pad_token_id bos_token_id "
        "decoder_start_token_id forced_bos_token_id forced_eos_token_id bad_words_ids force_words_ids constraints "
        "suppress_tokens begin_suppress_tokens sequence_bias exponential_decay_length_penalty guidance_scale penalty_alpha "
        "watermarking_config max_time logits_processor stopping_criteria prefix_allowed_tokens_fn streamer assistant_model "
        "assistant_tokenizer negative_prompt_ids custom_generate feature_extractor image_processor processor config "
        "pipeline_class load_in_8bit load_in_4bit quantization_config".split()
    ),
}
# What a call may have, too.
ANSWERS = ("return_tensors", "clean_up_tokenization_spaces")

# Tokenizers that read the languages of each call; all others of transformers ignore src_lang and tgt_lang.
WITH_LANGUAGES = ("M2M100", "Nllb", "MBart", "MBart50", "PLBart")
OWN_TYPES = ("transformer", "ctranslate2")  # of config.json that transformers does not know
MODEL_TYPES = {"m2m_100": "M2M100", "nllb-moe": "Nllb", "mbart": "MBart", "plbart": "PLBart"}


class Answers:
    """The answers to an iterable of texts, each a list of dicts. They are made when they are asked for."""

    def __init__(self, start: Callable[[], Iterator[Any]], size: Optional[int]) -> None:
        self._start = start
        self._size = size
        self._made: Optional[Iterator[Any]] = None

    def __iter__(self) -> "Answers":
        self._made = self._start()
        return self

    def __next__(self) -> Any:
        if self._made is None:
            self._made = self._start()
        return next(self._made)

    def __len__(self) -> int:
        if self._size is None:
            raise TypeError("the number of texts is not known")
        return self._size

    def __bool__(self) -> bool:
        return True


def _warn(text: str) -> None:
    warnings.warn(text, UserWarning, stacklevel=_level())


def _overruling(settings: Mapping[str, Any], model: Mapping[str, Any]) -> Dict[str, Any]:
    """The values of the model for settings that have their default."""
    return {
        name: model[name]
        for name, default in DEFAULTS.items()
        if settings[name] == default and model.get(name, default) != default
    }


def _is_since_4_50(model: Mapping[str, Any]) -> bool:
    """Whether transformers 4.50 or later has written a generation_config.json. Without the version, it counts as new."""
    parts = re.match(r"(\d+)\.(\d+)", str(model.get("transformers_version", "4.57")))
    return parts is not None and (int(parts[1]), int(parts[2])) >= (4, 50)


@contextlib.contextmanager
def _in_terms_of_transformers(*kinds: Type[Exception]) -> Iterator[None]:
    """Lets errors of these kinds call the options of Translator as the arguments of a pipeline are called.

    Where the caller's iterable is read, TypeErrors are not among them: they are the caller's.
    """
    try:
        yield
    except kinds as fault:
        text = str(fault).replace("from_=", "src_lang=")
        for new, old in RENAMED.items():
            text = text.replace(f"'{old}'", f"'{new}'")
        if type(fault) not in kinds or text == str(fault):  # subclasses may have other arguments
            raise
        renamed = type(fault)(text)
        if isinstance(fault, UsageError) and isinstance(renamed, UsageError):
            renamed.index = fault.index
        raise renamed.with_traceback(fault.__traceback__) from None


def _clean(text: str) -> str:
    """clean_up_tokenization_spaces of transformers."""
    for mark in (" .", " ?", " !", " ,"):
        text = text.replace(mark, mark[1:])
    text = text.replace(" ' ", "'")
    for ending in (" n't", " 'm", " 's", " 've", " 're"):
        text = text.replace(ending, ending[1:])
    return text


class _Facts:
    """What the files of a model say to transformers. Models of other formats have no facts."""

    def __init__(self, paths: Sequence[str]) -> None:
        def read(name: str) -> Dict[str, Any]:
            return (read_json(paths[0], name) if len(paths) == 1 else None) or {}

        self.config = read("config.json")
        self.is_known = self.config.get("model_type") not in (None, *OWN_TYPES)
        if not self.is_known:
            self.config = {}
            return
        self.generation = read("generation_config.json") or {
            name: value for name, value in self.config.items() if value is not None and name != "transformers_version"
        }
        named = str(read("tokenizer_config.json").get("tokenizer_class") or "").replace("TokenizerFast", "Tokenizer")
        family = named.replace("Tokenizer", "") or MODEL_TYPES.get(self.config["model_type"], "")
        self.needs_languages = family in WITH_LANGUAGES
        tasks = self.config.get("task_specific_params")
        self.tasks: Dict[str, Dict[str, Any]] = tasks if isinstance(tasks, dict) else {}


class TranslationPipeline:
    """Translates texts, with the calls and the answers of the pipeline of transformers that has this name."""

    return_name = "translation"

    def __init__(self, task: str, model: Union[ModelPath, Sequence[ModelPath], None], arguments: Dict[str, Any]) -> None:
        self.task = task
        self.device = "cpu"
        self._given = self._sort(arguments)
        self._paths = self._find(model)
        self._facts = _Facts(self._paths)
        self._read_ahead = arguments.get("batch_size")
        self._prefix = ""
        if self._facts.is_known:
            self._choose_task()
        self._generation = self._settings_of_pipeline()
        self._kept: List[Translator] = []  # the one of this pipeline, and another one if a call has had other settings
        if self._languages({}) or not self._facts.is_known or not self._facts.needs_languages:
            self._translator(self._options({}))

    def __repr__(self) -> str:
        names = ", ".join(repr(shown(path)) for path in self._paths)
        return f"<dragoman.{type(self).__name__} {self.task!r} {names}>"

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "_kept": []}  # another process opens the model when it needs it

    @property
    def model(self) -> Optional[Translator]:
        """The Translator; None before the first call if the model needs languages that pipeline() was not given."""
        return self._kept[0] if self._kept else None

    # --- arguments ---

    def _sort(self, arguments: Dict[str, Any]) -> Dict[str, Any]:
        """Checks the names of arguments, and returns those that have an effect."""
        given: Dict[str, Any] = {}
        own = set(TABLE) - set(RENAMED.values()) - set(DEFAULTS)
        effective = {*DEFAULTS, *RENAMED, *ANSWERS, *own}
        for name, value in arguments.items():
            if name in ("src_lang", "tgt_lang") and self.return_name != "translation":
                raise UsageError(f"'{name}' belongs to the task 'translation', not to '{self.task}'")
            if name == "batch_size" and value is not None:
                number(name, value)
            if (value is None and name not in DEFAULTS) or name in NO_EFFECT:
                continue
            if name in UNSUPPORTED:
                if value != UNSUPPORTED[name]:
                    raise UsageError(f"dragoman's pipeline does not support '{name}'")
            elif name in effective:
                given[name] = value
            else:
                known = [*effective, *NO_EFFECT, *UNSUPPORTED]
                same = [new for new, old in RENAMED.items() if old == name] or difflib.get_close_matches(name, sorted(known), 1)
                hint = f"; did you mean '{same[0]}'?" if same else ""
                raise UsageError(f"dragoman's pipeline has no argument '{name}'{hint}")
        return given

    def _find(self, model: Union[ModelPath, Sequence[ModelPath], None]) -> List[str]:
        if model is None:
            choice = choose(*(self._languages({}) or (None, None)))
            if choice.via:
                self._given["via"] = choice.via
            return choice.paths
        models: List[Any] = list(model) if isinstance(model, (list, tuple)) else [model]
        return [resolve(one) for one in models]

    def _choose_task(self) -> None:
        """"translation" is the first translation task of a model that has several, such as T5."""
        for name in self._facts.tasks:
            if self.task == "translation" and name.startswith("translation"):
                _warn(f'"translation" task was used, instead of "translation_XX_to_YY", defaulting to "{name}"')
                self.task = name
        prefix = self._facts.tasks.get(self.task, {}).get("prefix", self._facts.config.get("prefix"))
        self._prefix = prefix if isinstance(prefix, str) else ""

    def _languages(self, call: Dict[str, Any]) -> Optional[Tuple[Optional[str], Optional[str]]]:
        given = {**self._given, **call}
        if "src_lang" in given or "tgt_lang" in given:
            return given.get("src_lang"), given.get("tgt_lang")
        parts = self.task.split("_")
        return (parts[1], parts[3]) if len(parts) == 4 and parts[1].lower() != "xx" else None

    def _settings_of_pipeline(self) -> Dict[str, Any]:
        given = {name: value for name, value in self._given.items() if name in DEFAULTS}
        if not self._facts.is_known:
            return given
        out = {**DEFAULTS, **OF_PIPELINES}
        out.update(_overruling(out, self._facts.generation))
        out.update(given)
        if out["max_new_tokens"] == OF_PIPELINES["max_new_tokens"] and out["max_length"] not in (None, 20):
            out["max_new_tokens"] = None
        overruling = {name: value for name, value in self._facts.tasks.get(self.task, {}).items() if name in DEFAULTS}
        out.update(overruling)
        if _is_since_4_50(self._facts.generation):  # see _options()
            overruling = {**_overruling(out, self._facts.generation), **overruling}
        for name, value in given.items():
            if overruling.get(name, value) != value:
                _warn(f"{name}={value!r} has no effect: the model's files say {overruling[name]!r}, which counts more, as in "
                      "transformers; give it to each call")
        return out

    def _options(self, call: Dict[str, Any]) -> Dict[str, Any]:
        """The options of Translator for a call."""
        settings = dict(self._generation)
        facts = self._facts
        if facts.is_known and _is_since_4_50(facts.generation):
            settings.update(_overruling(settings, facts.generation))
        settings.update((name, value) for name, value in call.items() if name in DEFAULTS)
        new_tokens = settings.get("max_new_tokens")
        is_long = call.get("max_length") is not None
        if is_long and new_tokens is not None and "max_new_tokens" not in call:
            _warn(f"max_length={call['max_length']!r} has no effect: max_new_tokens={new_tokens!r} counts more, as in "
                  "transformers; give max_new_tokens to the call, or max_length to pipeline()")
        options = {name: value for name, value in {**self._given, **call}.items() if name in TABLE and name not in DEFAULTS}
        options.update((RENAMED.get(name, name), value) for name, value in settings.items() if value is not None)
        for name in ("max_new_tokens", "min_new_tokens", "max_length", "min_length"):
            options.pop(name, None)
        options.update(self._lengths(settings, is_long))
        if "early_stopping" in options:
            stopping = options["early_stopping"]
            if not isinstance(stopping, bool) and stopping != "never":
                raise UsageError(f"'early_stopping' {stopping!r}: must be False, True or 'never'")
            options["early_stopping"] = str(stopping).lower()
        if options.get("sample", not facts.is_known) is False:
            for name in FILTERS:
                options.pop(name, None)
        elif "top_k" in settings and settings["top_k"] is None:
            options["top_k"] = 0
        truncation = {**self._given, **call}.get("truncation", False)
        truncation = getattr(truncation, "value", truncation)
        if truncation not in TRUNCATIONS:
            raise UsageError(f"'truncation' {truncation!r}: must be one of {', '.join(map(repr, TRUNCATIONS))}")
        if truncation not in (False, "do_not_truncate"):
            options["max_length_crop"] = True
        options.update(self._language_options(call))
        return options

    def _lengths(self, settings: Dict[str, Any], is_of_call: bool) -> Dict[str, Any]:
        """The limits as dragoman counts them, without the start token, and not above the positions of the model."""
        out: Dict[str, Any] = {}
        length, least = settings.get("max_length"), settings.get("min_length")
        if settings.get("max_new_tokens") is not None:
            out["max_length"] = number("max_new_tokens", settings["max_new_tokens"])
        elif length is not None:
            is_default = self._facts.is_known and length == DEFAULTS["max_length"] and not is_of_call
            out["max_length"] = number("max_length", length) - (not is_default)
            if not out["max_length"]:
                raise UsageError("'max_length' 1 leaves no room: it counts the start token")
        if settings.get("min_new_tokens") is not None:
            out["min_length"] = number("min_new_tokens", settings["min_new_tokens"], 0)
        elif least is not None:
            out["min_length"] = max(number("min_length", least, 0) - 1, 0)
        positions = self._facts.config.get("max_position_embeddings")
        if isinstance(positions, int) and "max_length" in out:
            out["max_length"] = min(out["max_length"], positions)
        if "max_length" in out and "min_length" in out:
            out["min_length"] = min(out["min_length"], out["max_length"])
        return out

    @functools.cached_property
    def _has_targets(self) -> bool:
        """Whether the model can choose the target language."""
        return len(languages(self._paths[-1]).targets) > 1

    def _language_options(self, call: Dict[str, Any]) -> Dict[str, Any]:
        """Languages for models that can choose them. Others ignore them, as transformers does."""
        chosen = self._languages(call)
        facts = self._facts
        if facts.is_known and facts.needs_languages and self.return_name == "translation":
            if not chosen or None in chosen:
                raise UsageError("Translation requires a `src_lang` and a `tgt_lang` for this model")
        elif not chosen or (facts.is_known and (facts.tasks or not self._has_targets)):
            return {}  # other programs' models say themselves whether they have the languages
        return {name: code for name, code in zip(("from_", "to"), chosen or ()) if code is not None}

    def _translator(self, options: Dict[str, Any]) -> Translator:
        with _in_terms_of_transformers(UsageError, TypeError):
            translator = opened(self._paths, **options)
        self._kept = [*self._kept[:1], translator]
        return translator

    # --- calls ---

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        """Translates a text, a list of texts, or any other iterable of texts.

        A text gives a list of dicts, [{'translation_text': ...}], one for each of the num_return_sequences. A list gives a
        list of dicts, or a list of such lists if num_return_sequences is above 1. Any other iterable, such as a generator
        or a data set, gives an iterator of lists, which reads the texts when they are needed.
        """
        if len(inputs) != 1:
            raise UsageError(f"a pipeline takes one text or one list of texts, not {len(inputs)} arguments")
        call = self._sort(arguments)
        answer = {**{name: False for name in ANSWERS}, **self._given, **call}
        options = self._options(call)
        count = options.get("n_best", 1)
        details = count != 1 or bool(answer["return_tensors"])
        translator = self._translator(options)
        with _in_terms_of_transformers(UsageError):
            translator._refuse_job("'num_return_sequences'" if count != 1 else "'return_tensors'", details)

        def records(made: Union[str, Translation]) -> List[Dict[str, Any]]:
            if answer["return_tensors"] and isinstance(made, Translation):
                return [{f"{self.return_name}_token_ids": row} for row in self._tensors(made, count)]
            if isinstance(made, str):
                texts = [made]
            else:
                texts = [one.text for one in made.hypotheses] or [made.text] * count
            clean: Callable[[str], str] = _clean if answer["clean_up_tokenization_spaces"] else str
            return [{f"{self.return_name}_text": clean(text)} for text in texts]

        given = inputs[0]
        if isinstance(given, (str, list)):
            texts = self._texts([given] if isinstance(given, str) else given)
            with _in_terms_of_transformers(UsageError):
                if isinstance(given, str):
                    return records(translator.translate(texts[0], details=details))
                made = [records(one) for one in translator.translate(texts, details=details)]
            return [one[0] for one in made] if all(len(one) == 1 for one in made) else made
        if isinstance(given, (bytes, Mapping)) or not (hasattr(given, "__iter__") or hasattr(given, "__getitem__")):
            raise TypeError(f"a pipeline takes a str, or a list or another iterable of str, not {type(given).__name__}")
        size = size_of(given)
        ahead = None if size else arguments.get("batch_size") or self._read_ahead or 1

        def start() -> Iterator[List[Dict[str, Any]]]:
            indexed = size is not None and not hasattr(given, "__iter__")  # a data set may count without an end
            texts = self._texts(given[i] for i in range(size or 0)) if indexed else self._texts(given)
            with _in_terms_of_transformers(UsageError):
                for one in translator.translate_stream(texts, details=details, read_ahead=ahead):
                    yield records(one)

        return Answers(start, size)

    predict = transform = __call__

    def _texts(self, texts: Iterable[Any]) -> Any:
        """The lines to translate. For a tokenizer, a tab is what a newline is: a space, or else an unknown token."""
        whole = self._facts.is_known and not self._facts.config.get("dragoman_split_sentences")
        space = "\t" if whole else " "  # between sentences, a tab would be in the translation

        def line(index: int, text: Any) -> str:
            if not isinstance(text, str):
                raise TypeError(f"inputs[{index}] must be a str, not {type(text).__name__}")
            flat = text.replace("\n", space)
            return self._prefix + flat if flat.strip() else flat

        made = (line(i, text) for i, text in enumerate(texts))
        return list(made) if isinstance(texts, list) else made

    def _tensors(self, translation: Translation, count: int) -> List[Any]:
        """The ids as generate() returns them: with the start token, and padded to the same length."""
        generation = self._facts.generation if self._facts.is_known else {}
        start = generation.get("decoder_start_token_id", generation.get("bos_token_id"))
        if start is None:
            raise UsageError("return_tensors=True: the model has no decoder_start_token_id")
        try:
            tensor = importlib.import_module("torch").tensor
        except ImportError:
            raise UsageError("return_tensors=True needs the package torch; Translator has the ids of a translation "
                             "with details=True") from None
        rows = [[start, *one.ids] for one in translation.hypotheses] or [[start]] * count
        most = max(map(len, rows))
        ends = generation.get("eos_token_id")
        pad = generation.get("pad_token_id") or (ends[0] if isinstance(ends, list) else ends) or 0  # as in beam search
        return [tensor(row + [pad] * (most - len(row))) for row in rows]


class Text2TextGenerationPipeline(TranslationPipeline):
    """As TranslationPipeline, for the task "text2text-generation": the text has the prefix that T5 needs."""

    return_name = "generated"


def _check_device(device: Any, device_map: Any) -> None:
    for name, value in (("device", device), ("device_map", device_map)):
        if value is not None and value != -1 and str(value).split(":")[0] not in ("cpu", "auto"):
            _warn(f"{name}={value}: dragoman translates on the CPU")


def _plain(model: Any) -> Any:
    return os.path.normpath(os.fspath(model)) if isinstance(model, (str, os.PathLike)) else model


def _check_task(task: Optional[str], model: Any) -> str:
    if task is None and model is None:
        raise UsageError("pipeline() needs a task, such as 'translation', or a model")
    task = "translation" if task is None else task
    parts = task.split("_") if isinstance(task, str) else []
    if task in ("translation", "text2text-generation") or (len(parts) == 4 and parts[0::2] == ["translation", "to"]):
        return task
    raise UsageError(f"dragoman has no task {task!r}; use 'translation', 'translation_XX_to_YY' or 'text2text-generation'")


def pipeline(
    task: Optional[str] = None,
    model: Union[ModelPath, Sequence[ModelPath], None] = None,
    config: Any = None,
    tokenizer: Any = None,
    *,
    revision: Optional[str] = None,
    device: Any = None,
    device_map: Any = None,
    model_kwargs: Optional[Mapping[str, Any]] = None,
    **arguments: Any,
) -> TranslationPipeline:
    """Returns a pipeline for translation, as pipeline() of transformers 4 did.

        from dragoman import pipeline

        translator = pipeline("translation", model="Helsinki-NLP/opus-mt-en-de")
        translator("Where is the train station?")  # [{'translation_text': '...'}]

    The task is "translation", "translation_XX_to_YY" or "text2text-generation". The model is a path or a name, as for
    Translator; without one, a model for the languages is chosen. All other arguments can be given here or in a call:

    - src_lang, tgt_lang: the languages, for models that have several;
    - max_length, max_new_tokens, min_length, min_new_tokens, num_beams, num_return_sequences, do_sample, temperature,
      top_k, top_p, min_p, length_penalty, repetition_penalty, no_repeat_ngram_size and early_stopping of generate();
    - truncation, return_tensors, clean_up_tokenization_spaces;
    - all other options of Translator, such as threads.

    device, framework, dtype, batch_size and others are accepted, but change no answer. An argument that is not supported
    raises a ValueError. docs/python.md has the details.
    """
    task = _check_task(task, model)
    _check_device(device, device_map)
    if hasattr(model, "name_or_path"):
        model = getattr(model, "name_or_path")
        _warn(f"dragoman reads the files of {model!r}, not the model in memory; give its name")
    tokenizer = getattr(tokenizer, "name_or_path", tokenizer)
    if tokenizer is not None and _plain(tokenizer) != _plain(model):
        raise UsageError("tokenizer must be the same as model: dragoman reads the tokenizer of the model")
    if revision is not None and isinstance(model, str) and not os.path.exists(model):
        model = f"{model}@{revision}"
    kind = Text2TextGenerationPipeline if task == "text2text-generation" else TranslationPipeline
    return kind(task, model, {"config": config, **arguments, **(model_kwargs or {})})
