"""Documents, and texts with terms, kept parts or a memory, beside the program with the same options."""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings
from typing import Any, Iterator, Optional
from unittest import mock

import dragoman
from dragoman import _translator

PROGRAM = pathlib.Path(dragoman.__file__).parent / "bin" / "dragoman"
GOLDEN = pathlib.Path(os.environ.get("GOLDEN_ROOT", "../../build/golden")) / "documents"
LETTER = GOLDEN / "docx" / "letter.docx"


class Documents(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.terms = self.folder / "terms.tsv"
        self.terms.write_text("house\tGeb\u00e4ude\n", encoding="utf-8")

    def program(self, *arguments: object, text: Optional[bytes] = None) -> bytes:
        model = [] if "-m" in arguments else ["-m", "en-de"]
        run = subprocess.run([PROGRAM, *model, "-q", *map(str, arguments)], input=text, capture_output=True, check=True)
        return run.stdout

    def test_a_file_is_that_of_the_program_with_the_same_glossary_memory_and_kept_parts(self) -> None:
        memories = [self.folder / "one.tsv", self.folder / "two.tsv"]
        for turn in range(2):  # the second time, the memory has the translations
            made = self.folder / "made.docx"
            with dragoman.Translator("en-de", glossary=self.terms, keep=["[A-Z]{2,}"], memory=memories[0]) as translator:
                translator.translate_file(LETTER, made)
            wanted = self.folder / "wanted.docx"
            self.program("--glossary", self.terms, "--keep", "[A-Z]{2,}", "--memory", memories[1], "-o", wanted, LETTER)
            self.assertEqual(made.read_bytes(), wanted.read_bytes(), turn)
        self.assertEqual(memories[0].read_bytes(), memories[1].read_bytes())

    def test_a_document_in_memory_is_that_of_a_file(self) -> None:
        for path, form in ((LETTER, "docx"), (GOLDEN / "markdown" / "guide.md", "markdown"), (GOLDEN / "html" / "page.html", "html")):
            target = self.folder / "target"
            with dragoman.Translator("en-de") as translator:
                translator.translate_file(path, target)
                self.assertEqual(translator.translate_document(path.read_bytes(), form), target.read_bytes(), form)

    def test_a_language_model_asks_with_the_prompt_and_translates_documents(self) -> None:
        maker = pathlib.Path(__file__).parent.parent / "cli" / "language_model.py"
        model, prompt = self.folder / "model", self.folder / "prompt.txt"
        subprocess.run([sys.executable, maker, model, "llama"], check=True)
        prompt.write_text("<s>{target_language}: {source}<|answer|>", encoding="utf-8")
        made, wanted = self.folder / "made.docx", self.folder / "wanted.docx"
        options = {"from_": "en", "to": "de", "prompt": prompt, "glossary": self.terms}
        with dragoman.Translator(model, **options) as translator:  # type: ignore[arg-type]
            self.assertEqual(translator.target_language, "de")
            line = translator.translate("A house.")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", dragoman.TranslationWarning)  # random weights lose numbers
                translator.translate_file(LETTER, made)
        arguments = ["-m", model, "--from", "en", "--to", "de", "--prompt", prompt, "--glossary", self.terms]
        self.assertEqual(self.program(*arguments, text=b"A house.\n").decode(), f"{line}\n")
        self.program(*arguments, "-o", wanted, LETTER)
        self.assertEqual(made.read_bytes(), wanted.read_bytes())

    def test_lines_have_the_terms_and_kept_parts(self) -> None:
        lines = ["The house is small.", "", "Call foo_bar now.", "Good morning."]
        wanted = self.program("--glossary", self.terms, "--keep", "foo_\\w+", text="".join(line + "\n" for line in lines).encode())
        with dragoman.Translator("en-de", glossary=[self.terms], keep="foo_\\w+") as translator:
            self.assertEqual(translator.translate(lines), wanted.decode().splitlines())
            self.assertEqual(translator.translate(lines[0]), wanted.decode().splitlines()[0])
            self.assertEqual(list(translator.translate_stream(lines, read_ahead=3)), wanted.decode().splitlines())
            self.assertEqual(translator.translate([]), [])
            self.assertEqual(translator.translate([""]), [""])
            self.assertEqual(translator.target_language, "de")

    def test_a_stream_with_kept_parts_reads_no_more_bytes_than_it_may(self) -> None:
        taken = 0

        def lines() -> Iterator[str]:
            nonlocal taken
            for taken in range(1, 8):
                yield f"This is line {taken}."

        with dragoman.Translator("en-de", keep="xyz") as translator, mock.patch.object(_translator, "READ_AHEAD_BYTES", 30):
            wanted = [translator.translate(f"This is line {i}.") for i in range(1, 8)]
            stream = translator.translate_stream(lines())
            self.assertEqual(next(stream), wanted[0])
            self.assertEqual(taken, 2)
            self.assertEqual(list(stream), wanted[1:])

    def test_languages_are_detected(self) -> None:
        text = ["The weather is nice today, so we go out.", "Guten Tag, wie geht es Ihnen heute?"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the choice of the model
            with dragoman.Translator(from_="auto", to="de") as translator:
                made = translator.translate(text)
                stream = translator.translate_stream([*text, 3, text[0]])  # type: ignore[list-item]
                self.assertEqual([next(stream), next(stream)], made)
                with self.assertRaisesRegex(TypeError, r"lines\[2\] must be a str, not int"):
                    next(stream)
        self.assertNotEqual(made[0], text[0])
        self.assertEqual(made[1], text[1])

    def test_a_line_in_an_unknown_language_is_named(self) -> None:
        text = ["The weather is nice today, so we go out.", "Il fait beau aujourd'hui, alors nous sortons.", "Hello."]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the choice of the model
            with dragoman.Translator(from_="auto", to="de", unknown="error") as translator:
                made = translator.translate_stream(text, read_ahead=3)
                self.assertEqual(next(made), translator.translate(text[0]))
                for place, call in (
                    ("lines[1]: ", lambda: next(made)),
                    ("lines[1]: ", lambda: translator.translate(text)),
                    ("lines[1]: ", lambda: list(translator.translate_stream(text, read_ahead=1))),
                    ("", lambda: translator.translate(text[1])),
                ):
                    with self.assertRaises(dragoman.FormatError) as caught:
                        call()
                    self.assertTrue(str(caught.exception).startswith(place + "the text seems to be in French"))
                    self.assertEqual(caught.exception.index, 1 if place else 0)

    def test_a_term_that_is_not_translated_as_asked_is_a_warning(self) -> None:
        self.terms.write_text("house\tXQZW\n", encoding="utf-8")
        with dragoman.Translator("en-de", glossary=self.terms) as translator:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                made = translator.translate("The house is small.")
        named = [str(one.message) for one in caught if one.category is dragoman.TranslationWarning]
        self.assertEqual("XQZW" in made, not named)

    def test_an_inflected_form_is_a_term_unless_glossary_match_is_exact(self) -> None:
        self.terms.write_text("report\tBericht\n", encoding="utf-8")
        memory = self.folder / "memory.tsv"
        memory.write_text("The reports are old.\tDie Berichte sind alt.\n", encoding="utf-8")
        for match, expected in ((None, 0), ("stem", 0), ("exact", 1)):
            with dragoman.Translator("en-de", glossary=self.terms, glossary_match=match, memory=memory) as translator:
                if any("libstemmer" in warning for warning in translator.warnings):
                    self.skipTest("libstemmer is not installed")
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    self.assertEqual(translator.translate("The reports are old."), "Die Berichte sind alt.")
            self.assertEqual(sum(one.category is dragoman.TranslationWarning for one in caught), expected, match)
        with self.assertRaises(dragoman.UsageError):
            dragoman.Translator("en-de", glossary_match="other")
        for one in caught:
            self.assertEqual(pathlib.Path(one.filename).name, pathlib.Path(__file__).name)

    def test_faults_are_named(self) -> None:
        wrong: Any = "text"
        no_text: Any = None
        with dragoman.Translator("en-de", keep="x") as translator:
            for call, error, part in (
                (lambda: translator.translate("x", details=True), dragoman.UsageError, "details cannot be used with the option keep"),
                (lambda: translator.score("x", "y"), dragoman.UsageError, "score() cannot be used with the option keep"),
                (lambda: translator.translate("a\nb"), dragoman.UsageError, "newline"),
                (lambda: translator.translate_document(b"", "foo"), dragoman.UsageError, "foo"),
                (lambda: translator.translate_document(b"no archive", "docx"), dragoman.FormatError, "not a DOCX document"),
                (lambda: translator.translate_document(wrong, "text"), TypeError, "data must be bytes"),
                (lambda: translator.translate_document(b"", no_text), TypeError, "format must be a str"),
                (lambda: translator.translate_document(b"", "html\0"), dragoman.UsageError, "format: contains a NUL character"),
                (lambda: translator.translate_file("no-such-file.txt", self.folder / "x"), dragoman.FileError, "no-such-file.txt"),
            ):
                with self.assertRaises(error) as caught:
                    call()
                self.assertIn(part, str(caught.exception))
        self.assertFalse((self.folder / "x").exists())
        with self.assertRaises(dragoman.UsageError):
            translator.translate("closed")
        with self.assertRaisesRegex(dragoman.UsageError, r"\("):
            dragoman.Translator("en-de", keep="(")
        with self.assertRaisesRegex(dragoman.UsageError, "^'encoding': unknown encoding 'foo'"):
            dragoman.Translator("en-de", encoding="foo")
        with self.assertRaisesRegex(dragoman.UsageError, "^from_='auto' can only"):
            dragoman.Translator("en-de", from_="auto")
        with self.assertRaises(dragoman.FileError):
            dragoman.Translator("en-de", glossary=self.folder / "missing.tsv")

    def test_the_module_translates_a_file(self) -> None:
        page = GOLDEN / "html" / "page.html"
        dragoman.translate_file(page, self.folder / "one.html", "en-de")
        with dragoman.Translator("en-de") as translator:
            translator.translate_file(page, self.folder / "two.html")
        self.assertEqual((self.folder / "one.html").read_bytes(), (self.folder / "two.html").read_bytes())
        with self.assertRaisesRegex(dragoman.UsageError, "its name ends in .md"):
            dragoman.translate_file(page, self.folder / "one.md", "en-de")
        dragoman.close_models()

    def test_a_source_tree_without_the_library_says_so(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "dragoman"
            package.mkdir()
            for one in pathlib.Path(dragoman.__file__).parent.glob("*.py"):
                (package / one.name).write_bytes(one.read_bytes())
            environment = {**os.environ, "PYTHONPATH": folder}
            run = subprocess.run([sys.executable, "-c", "import dragoman"], env=environment, capture_output=True, text=True)
        if run.returncode == 0:
            self.skipTest("the system has the library")
        self.assertIn("ImportError: dragoman cannot use its library libdragoman.so.0", run.stderr)
        self.assertIn("make wheel", run.stderr)

    def test_options_that_do_not_apply_to_documents_are_refused(self) -> None:
        options: Any
        for options, part in (
            ({"must": "x"}, "'must' cannot be used with documents, and document is one (html)"),
            ({"n_best": 2, "beam": 2}, "'n_best' above 1 cannot be used with documents"),
            ({"alignment": "hard"}, "'alignment' cannot be used with documents"),
            ({"pieces": True}, "'pieces' cannot be used with documents"),
            ({"column": "1"}, "'column' cannot be used with document, a document of the format html; it applies to: csv tsv xlsx ods fods"),
        ):
            with dragoman.Translator("en-de", **options) as translator:
                with self.assertRaises(dragoman.UsageError) as caught:
                    translator.translate_document(b"<p>A house.</p>", "html")
                self.assertIn(part, str(caught.exception))

    def test_threads_take_turns(self) -> None:
        made = {}
        with dragoman.Translator("en-de", keep="x") as translator:
            threads = [threading.Thread(target=lambda i=i: made.update({i: translator.translate(f"Room {i}.")})) for i in range(8)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
        self.assertEqual(sorted(made), list(range(8)))
        for number, text in made.items():
            self.assertIn(str(number), text)


if __name__ == "__main__":
    unittest.main()
