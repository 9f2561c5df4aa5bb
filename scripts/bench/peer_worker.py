"""Translates with a peer; each line of stdin is one job.

    python peer_worker.py ctranslate2|fxtranslate|pymarian|transformers SETTINGS

SETTINGS and each job are JSON objects with the arguments of the class's __init__() and translate(). The first
line of stdout is the version of the engine. Each job is answered by one line: the elapsed and the CPU seconds of
the translation only, and the pieces or the texts.
"""

import contextlib
import importlib.metadata
import json
import pathlib
import sys
import time


@contextlib.contextmanager
def timed(answer):
    start, cpu = time.perf_counter(), time.process_time()
    yield
    answer["seconds"], answer["cpu"] = time.perf_counter() - start, time.process_time() - cpu


class CTranslate2:
    """model: a converted folder; spm: the folder with source.spm and target.spm, needed to translate text."""

    def __init__(self, model, compute, workers, threads, spm=None):
        import ctranslate2

        self.version = f"CTranslate2 {ctranslate2.__version__}"
        self.translator = ctranslate2.Translator(
            model, device="cpu", compute_type=compute, inter_threads=workers, intra_threads=threads
        )
        if spm:
            import sentencepiece

            source, target = (str(pathlib.Path(spm, name)) for name in ("source.spm", "target.spm"))
            self.source = sentencepiece.SentencePieceProcessor(model_file=source)
            self.target = sentencepiece.SentencePieceProcessor(model_file=target)

    def translate(self, beams, batch, length=None, sentences=None, lines=None, vmap=False):
        """Translates sentences (lists of pieces; with a batch of 1, one at a time) or lines of text."""
        options = {"beam_size": beams, "max_batch_size": batch, "use_vmap": vmap, "max_input_length": 0}
        answer = {}
        if length:
            options |= {"min_decoding_length": length, "max_decoding_length": length}
        if sentences is not None:
            sentences = [sentence + ["</s>"] for sentence in sentences]
        with timed(answer):
            if lines is not None:
                sentences = self.source.encode(lines, out_type=str, add_eos=True)
            if batch == 1:
                results = [self.translator.translate_batch([one], **options)[0] for one in sentences]
            else:
                results = self.translator.translate_batch(sentences, **options)
            pieces = [result.hypotheses[0] for result in results]
            if lines is not None:
                answer["texts"] = self.target.decode(pieces)
        return answer if lines is not None else answer | {"pieces": pieces}


class Transformers:
    def __init__(self, model, threads):
        import torch
        import transformers

        self.version = f"transformers {transformers.__version__} with torch {torch.__version__}"
        self.torch = torch
        torch.set_num_threads(threads)
        transformers.logging.set_verbosity_error()
        self.model = transformers.MarianMTModel.from_pretrained(model, dtype=torch.float32).eval()
        self.ids = json.loads(pathlib.Path(model, "vocab.json").read_text())
        self.pieces = {number: piece for piece, number in self.ids.items()}

    def generate(self, ids, beams, length):
        ids = self.torch.tensor(ids)
        return self.model.generate(
            input_ids=ids,
            attention_mask=self.torch.ones_like(ids),
            num_beams=beams,
            do_sample=False,
            min_new_tokens=length,
            max_new_tokens=length,
        )[:, 1:].tolist()

    def translate(self, beams, batch, length, sentences):
        ids = [[self.ids[piece] for piece in sentence + ["</s>"]] for sentence in sentences]
        answer, out = {}, []
        with self.torch.inference_mode(), timed(answer):
            for at in range(0, len(ids), batch):
                out += self.generate(ids[at : at + batch], beams, length)
        return answer | {"pieces": [[self.pieces[number] for number in row] for row in out]}


class Pymarian:
    """Marian has no minimum length: a model that never ends a sentence gets the limit that stops it at `length`."""

    def __init__(self, model, vocab, threads, beams, batch, length, source, quantize=False, shortlist=None):
        """vocab: ids by piece; source: pieces per sentence; quantize: compute with an f32 model in int8."""
        import pymarian

        self.version, self.batch = f"pymarian {pymarian.__version__}", batch
        options = {"shortlist": [shortlist, "false"]} if shortlist else {}
        if quantize:
            options |= {"optimize": True, "gemm_type": "packed8avx512"}  # or packed8avx2, by the CPU
        self.translator = pymarian.Translator(
            models=model,
            vocabs=[vocab, vocab],
            cpu_threads=threads,
            beam_size=beams,
            mini_batch=batch,
            maxi_batch=100,
            max_length_factor=length / (source + 1),
            skip_cost=beams == 1,
            quiet=True,
            quiet_translation=True,
            **options,
        )

    def translate(self, sentences):
        answer, lines = {}, [" ".join(sentence) for sentence in sentences]
        with timed(answer):
            if self.batch == 1:
                texts = [self.translator.translate(line) for line in lines]
            else:
                texts = self.translator.translate(lines)
        return answer | {"pieces": [text.split(" ") for text in texts]}


class Fxtranslate:
    """Translates one sentence after the other, greedily."""

    def __init__(self, model, vocab, shortlist):
        import fxtranslate

        files = (pathlib.Path(name).read_bytes() for name in (model, vocab, vocab, shortlist))
        self.translator = fxtranslate.Translator(*files)
        version = importlib.metadata.version("fxtranslate")
        self.version = f"fxtranslate {version} ({self.translator.backend()})"

    def translate(self, sentences):
        answer, lines = {}, ["".join(sentence).replace("▁", " ").strip() for sentence in sentences]
        with timed(answer):
            texts = [self.translator.translate(line) for line in lines]
        return answer | {"texts": texts}


def main():
    engines = {kind.__name__.lower(): kind for kind in (CTranslate2, Fxtranslate, Pymarian, Transformers)}
    engine = engines[sys.argv[1]](**json.loads(sys.argv[2]))
    print(json.dumps(engine.version), flush=True)
    for line in sys.stdin:
        print(json.dumps(engine.translate(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
