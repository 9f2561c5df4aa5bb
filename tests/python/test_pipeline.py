"""pipeline() gives the answers of transformers, and refuses what it cannot do."""

import json
import os
import pathlib
import pickle
import shutil
import sys
import tempfile
import types
import unittest
import warnings
from typing import Any, Dict, Iterator, List
from unittest import mock

import dragoman
from dragoman import _pipeline, pipeline
from dragoman._models import Choice, choose
from dragoman._pipeline import Answers

GOLDEN = pathlib.Path(os.environ.get("GOLDEN_ROOT", "../../build/golden"))
OPUS = GOLDEN / "marian" / "swish-opus"
M2M = GOLDEN / "families" / "m2m100-relu"
MANY = GOLDEN / "marian" / "mish-languages"
TUTORIAL = GOLDEN / "transformers" / "annotated-plain"
T5 = GOLDEN / "families" / "t5-relu"
DEFAULT_LENGTH = GOLDEN / "families" / "t5-bf16-default-length"
FEW_POSITIONS = GOLDEN / "marian" / "relu2-default-length"
TORCH = types.SimpleNamespace(tensor=list)  # instead of the package, which is large


needs_models = unittest.skipUnless(OPUS.exists(), "the models of other tests are not here")


def read_calls() -> List[Dict[str, Any]]:
    lines = (GOLDEN / "pipeline" / "transformers.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@needs_models
class GoldenTest(unittest.TestCase):
    def test_answers_are_those_of_transformers(self) -> None:
        calls = read_calls()
        self.assertGreater(len(calls), 100)
        for line in calls:
            about = {name: value for name, value in line.items() if name != "answer"}
            with self.subTest(json.dumps(about)), warnings.catch_warnings(), mock.patch.dict(sys.modules, torch=TORCH):
                warnings.simplefilter("ignore")
                if line.get("refused"):
                    with self.assertRaises(ValueError):
                        pipeline(line["task"], str(GOLDEN / line["folder"]), **line["pipeline"])(line["input"], **line["call"])
                    continue
                translator = pipeline(line["task"], model=GOLDEN / line["folder"], **line["pipeline"])
                texts = (text for text in line["input"]) if line.get("lazy") else line["input"]
                answer = translator(texts, **line["call"])
                self.assertEqual(list(answer) if line.get("lazy") else answer, line["answer"])


@needs_models
class InputTest(unittest.TestCase):
    def setUp(self) -> None:
        self.translator = pipeline("translation", model=OPUS, max_new_tokens=5)

    def test_a_generator_is_read_when_it_is_needed(self) -> None:
        read: List[int] = []

        def texts() -> Iterator[str]:
            for i in range(100):
                read.append(i)
                yield "tea"

        answers = iter(self.translator(texts()))
        self.assertEqual(read, [])
        self.assertEqual(next(answers), self.translator("tea"))
        self.assertEqual(read, [0])
        next(iter(self.translator(texts(), batch_size=8)))
        self.assertLessEqual(len(read), 1 + 8)

    def test_a_data_set_has_a_length_and_can_be_read_again(self) -> None:
        class DataSet:  # has no __iter__, and no end
            def __len__(self) -> int:
                return 3

            def __getitem__(self, index: int) -> str:
                return "the old bridge"[: 3 + index]

        answers = self.translator(DataSet())
        self.assertIsInstance(answers, Answers)
        self.assertEqual(len(answers), 3)
        self.assertEqual(list(answers), [self.translator(text) for text in ("the", "the ", "the o")])
        self.assertEqual(list(answers), list(answers))
        with self.assertRaisesRegex(TypeError, "not known"):
            len(self.translator(text for text in ["tea"]))

    def test_an_iterable_with_other_indices_is_iterated(self) -> None:
        class Column:  # as a Series of pandas, whose indices need not begin with 0
            def __init__(self) -> None:
                self.rows = {7: "tea", 9: "the"}

            def __iter__(self) -> Iterator[str]:
                return iter(self.rows.values())

            def __len__(self) -> int:
                return len(self.rows)

            def __getitem__(self, index: int) -> str:
                return self.rows[index]

        self.assertEqual(list(self.translator(Column())), [self.translator("tea"), self.translator("the")])

    def test_faults_of_an_iterable_are_its_own(self) -> None:
        class Fault(dragoman.UsageError):
            def __init__(self, what: str, number: int) -> None:
                super().__init__(f"'{what}' {number}")

        def texts(fault: Exception) -> Iterator[str]:
            yield "tea"
            raise fault

        for fault in (TypeError("missing 1 argument: 'to'"), Fault("beam", 3)):
            with self.subTest(fault), self.assertRaises(type(fault)) as caught:
                list(self.translator(texts(fault)))
            self.assertIs(caught.exception, fault)

    def test_other_inputs_are_refused(self) -> None:
        for wrong in (5, None, b"tea", {"text": "tea"}):
            with self.assertRaisesRegex(TypeError, "takes a str, or a list or another iterable of str"):
                self.translator(wrong)
        with self.assertRaisesRegex(TypeError, r"inputs\[1\] must be a str, not list"):
            self.translator(["tea", ["tea"]])
        with self.assertRaisesRegex(TypeError, r"inputs\[0\] must be a str, not dict"):
            list(self.translator(iter([{"text": "tea"}])))
        with self.assertRaisesRegex(ValueError, "one text or one list of texts, not 2 arguments"):
            self.translator("tea", "the old bridge")

    def test_blank_texts_stay_blank(self) -> None:
        self.assertEqual(self.translator(["", "tea"])[0], {"translation_text": ""})
        self.assertEqual(self.translator("", num_return_sequences=2), [{"translation_text": ""}] * 2)
        with mock.patch.dict(sys.modules, torch=TORCH):
            made = self.translator("", num_return_sequences=2, return_tensors=True)
        self.assertEqual(len(made), 2)
        self.assertEqual(made[0], made[1])
        with_prefix = pipeline("translation_en_to_de", T5)
        self.assertEqual(with_prefix(["", "  ", "\n"]), [{"translation_text": text} for text in ("", "  ", "\t")])

    def test_a_pipeline_can_be_pickled(self) -> None:
        again = pickle.loads(pickle.dumps(self.translator))
        self.assertEqual(again("the old bridge"), self.translator("the old bridge"))

    def test_predict_and_transform_are_calls(self) -> None:
        self.assertEqual(self.translator.predict("tea"), self.translator("tea"))
        self.assertEqual(self.translator.transform(["tea"]), self.translator(["tea"]))


@needs_models
class ArgumentTest(unittest.TestCase):
    def refuses(self, pattern: str, *arguments: Any, **keywords: Any) -> None:
        with self.assertRaisesRegex(ValueError, pattern) as caught:
            pipeline(*arguments, **keywords)("tea")
        self.assertNotIn("\n", str(caught.exception))

    def test_arguments_that_cannot_have_an_effect_are_accepted(self) -> None:
        plain = pipeline("translation", model=str(OPUS))
        same = pipeline(
            "translation", str(OPUS), tokenizer=str(OPUS), framework="pt", device=-1, batch_size=8, num_workers=2, use_fast=True,
            token="x", trust_remote_code=True, dtype="float16", torch_dtype="auto", return_text=True, typical_p=1.0,
            model_kwargs={"low_cpu_mem_usage": True}, device_map="auto", use_cache=True, renormalize_logits=False,
        )  # fmt: skip
        self.assertEqual(same("the old bridge"), plain("the old bridge"))
        self.assertEqual(pipeline(model=OPUS, device="cpu")("the old bridge"), plain("the old bridge"))
        for model, tokenizer in ((OPUS, str(OPUS)), (f"{OPUS}/", OPUS)):
            self.assertEqual(pipeline("translation", model, tokenizer=tokenizer)("tea"), plain("tea"))
        for device in (0, "cuda:0"):
            with self.assertWarnsRegex(UserWarning, f"device={device}: dragoman translates on the CPU"):
                self.assertEqual(pipeline("translation", OPUS, device=device)("tea"), plain("tea"))

    def test_everything_else_is_refused_in_one_line(self) -> None:
        self.refuses("does not support 'typical_p'", "translation", OPUS, typical_p=0.5)
        self.refuses("does not support 'forced_bos_token_id'", "translation", OPUS, forced_bos_token_id=3)
        self.refuses("does not support 'generation_config'", "translation", OPUS, generation_config=object())
        self.refuses("no argument 'num_beam'; did you mean 'num_beams'", "translation", OPUS, num_beam=3)
        self.refuses("no argument 'beam'; did you mean 'num_beams'", "translation", OPUS, beam=3)
        self.refuses("no argument 'from_'; did you mean 'src_lang'", "translation", OPUS, from_="en")
        self.refuses("'num_return_sequences' 5 exceeds the beam size 2", "translation", OPUS, num_beams=2,
                     num_return_sequences=5)  # fmt: skip
        self.refuses("dragoman has no task 'summarization'", "summarization", OPUS)
        self.refuses("dragoman has no task 'translation_en'", "translation_en", OPUS)
        self.refuses("needs a task, such as 'translation', or a model")
        self.refuses("tokenizer must be the same as model", "translation", OPUS, tokenizer="other")
        self.refuses("'src_lang' belongs to the task 'translation'", "text2text-generation", T5, src_lang="en")
        self.refuses("Translation requires a `src_lang` and a `tgt_lang`", "translation", M2M, src_lang="en")
        self.refuses("'tgt_lang' xx: unknown language", "translation", M2M, src_lang="en", tgt_lang="xx")
        self.refuses("^no language to translate into: give 'tgt_lang'", "translation", MANY)
        self.refuses("'max_length' 1 leaves no room", "translation", OPUS, max_length=1)
        self.refuses("'truncation' 'only_second': must be one of True, False, 'longest_first'", "translation", OPUS,
                     truncation="only_second")  # fmt: skip
        for wrong in (1, "true", "auto"):
            self.refuses(f"'early_stopping' {wrong!r}: must be False, True or 'never'", "translation", OPUS,
                         early_stopping=wrong)  # fmt: skip
        for name in ("min_length", "min_new_tokens"):
            self.refuses(f"'{name}' -1: must be from 0", "translation", OPUS, **{name: -1})
            with self.assertRaisesRegex(TypeError, f"'{name}' must be an integer, not str"):
                self.refuses("", "translation", OPUS, **{name: "3"})
        self.refuses("'batch_size' 0: must be from 1", "translation", OPUS, batch_size=0)
        with self.assertRaisesRegex(TypeError, "'batch_size' must be an integer, not str"):
            pipeline("translation", OPUS)("tea", batch_size="x")
        self.refuses("^'num_return_sequences' cannot be used with the option keep$", "translation", OPUS, keep="tea",
                     num_return_sequences=2)  # fmt: skip
        self.refuses("^'return_tensors' cannot be used with the option keep$", "translation", OPUS, keep="tea",
                     return_tensors=True)  # fmt: skip

    def test_values_that_ask_for_nothing_are_accepted(self) -> None:
        translator = pipeline("translation", OPUS)
        for call in ({"min_length": 0}, {"min_new_tokens": 0}, {"truncation": "longest_first"}, {"truncation": "only_first"},
                     {"truncation": "do_not_truncate"}, {"truncation": True}, {"truncation": False}):  # fmt: skip
            with self.subTest(call):
                self.assertEqual(translator("tea", **call), translator("tea"))

    def test_models_of_other_formats_have_their_own_defaults(self) -> None:
        with dragoman.Translator(TUTORIAL) as translator, dragoman.Translator(TUTORIAL, beam=3, max_length=4) as short:
            self.assertEqual(pipeline("translation", TUTORIAL)("a b")[0]["translation_text"], translator.translate("a b"))
            made = pipeline("translation", TUTORIAL, num_beams=3)("a b", max_length=5)[0]["translation_text"]
            self.assertEqual(made, short.translate("a b"))

    def test_some_models_choose_the_language_themselves(self) -> None:
        translator = pipeline("translation", MANY)
        self.assertEqual(translator("tea", tgt_lang="deu"), translator(">>deu<< tea"))
        one = pipeline("translation", OPUS)
        self.assertEqual(one("tea", src_lang="en", tgt_lang="fr"), one("tea"))  # ignored, as in transformers
        with mock.patch("dragoman._pipeline.languages", side_effect=AssertionError("the files are read again")):
            self.assertEqual(one("the", src_lang="en", tgt_lang="de"), one("the"))

    def test_objects_of_transformers_stand_for_their_names(self) -> None:
        loaded: Any = types.SimpleNamespace(name_or_path=str(OPUS))
        with self.assertWarnsRegex(UserWarning, "reads the files of '.*swish-opus', not the model in memory"):
            translator = pipeline("translation", model=loaded, tokenizer=loaded)
        self.assertEqual(translator("tea"), pipeline("translation", OPUS)("tea"))

    def test_options_of_translator_can_be_given(self) -> None:
        with dragoman.Translator(OPUS, beam=4, prefix="der") as translator:
            expected = translator.translate("the old bridge")
        self.assertEqual(pipeline("translation", OPUS, prefix="der", threads=1)("the old bridge")[0]["translation_text"], expected)

    def test_arguments_that_transformers_ignores_are_told(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            translator = pipeline("translation", DEFAULT_LENGTH)
        with self.assertWarnsRegex(UserWarning, "max_length=10 has no effect: max_new_tokens=256 counts more"):
            self.assertEqual(translator("tea", max_length=10), translator("tea"))
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(T5, folder, dirs_exist_ok=True)
            path = pathlib.Path(folder, "config.json")
            config = json.loads(path.read_text())
            config["task_specific_params"]["translation_en_to_de"].update(num_beams=2, early_stopping=True)
            path.write_text(json.dumps(config))
            with self.assertWarnsRegex(UserWarning, "num_beams=1 has no effect: the model's files say 2"):
                translator = pipeline("translation_en_to_de", folder, num_beams=1)
            self.assertEqual(translator("tea"), translator("tea", num_beams=2))
        with self.assertWarnsRegex(UserWarning, "num_beams=1 has no effect: the model's files say 5"):
            translator = pipeline("translation", M2M, src_lang="en", tgt_lang="de", num_beams=1)
        self.assertEqual(translator("the old bridge"), translator("the old bridge", num_beams=5))
        self.assertNotEqual(translator("the old bridge"), translator("the old bridge", num_beams=1))

    def test_a_default_length_above_the_positions_of_the_model_is_their_number(self) -> None:
        positions = json.loads((FEW_POSITIONS / "config.json").read_text())["max_position_embeddings"]
        self.assertLess(positions, 256)
        with mock.patch.dict(sys.modules, torch=TORCH):
            ids = pipeline("translation", FEW_POSITIONS, return_tensors=True)("a b c")[0]["translation_token_ids"]
        self.assertLessEqual(len(ids), positions + 1)

    def test_samples_depend_on_the_seed_alone(self) -> None:
        translator = pipeline("translation", OPUS, do_sample=True, max_new_tokens=12, temperature=2.0)

        def draw(seed: int) -> Any:
            return translator("the old bridge", num_beams=1, seed=seed, num_return_sequences=3)

        self.assertEqual(len(draw(1)), 3)
        self.assertEqual(draw(1), draw(1))
        self.assertNotEqual(draw(1), draw(2))

    def test_the_embedded_model_needs_no_name(self) -> None:
        for task in ("translation", "translation_en_to_de"):
            made = pipeline(task)("Good morning.\nHow are you?")
            self.assertEqual(made, [{"translation_text": dragoman.translate("Good morning. How are you?")}])
        self.assertEqual(repr(pipeline("translation_en_to_de")), "<dragoman.TranslationPipeline 'translation_en_to_de' "
                         "'en-de.safetensors'>")  # fmt: skip

    def test_models_that_are_chosen_keep_their_pivot_language(self) -> None:
        paths = [choose(*codes).paths[0] for codes in (("en", "de"), ("de", "en"))]
        with mock.patch.object(_pipeline, "choose", return_value=Choice(paths, "de")):
            made = pipeline("translation_en_to_en")
        assert made.model
        self.assertEqual(made.model._checked["via"], ["de"])

    def test_tensors_need_torch(self) -> None:
        with mock.patch.dict(sys.modules, torch=None):
            self.refuses("return_tensors=True needs the package torch", "translation", OPUS, return_tensors=True)


if __name__ == "__main__":
    unittest.main()
