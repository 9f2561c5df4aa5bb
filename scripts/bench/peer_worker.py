"""Translates with CTranslate2 or transformers; each line of stdin is one job.

    python peer_worker.py ctranslate2|transformers SETTINGS

SETTINGS and each job are JSON objects with the arguments of the class's __init__() and translate(). The first
line of stdout is the version of the engine. Each job is answered by one line: the seconds of the translation
only, and the pieces or the texts.
"""

import json
import pathlib
import sys
import time


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
        if length:
            options |= {"min_decoding_length": length, "max_decoding_length": length}
        if sentences is not None:
            sentences = [sentence + ["</s>"] for sentence in sentences]
        start = time.perf_counter()
        if lines is not None:
            pieces = self.source.encode(lines, out_type=str, add_eos=True)
            results = self.translator.translate_batch(pieces, **options)
            texts = self.target.decode([result.hypotheses[0] for result in results])
            return {"seconds": time.perf_counter() - start, "texts": texts}
        if batch == 1:
            results = [self.translator.translate_batch([one], **options)[0] for one in sentences]
        else:
            results = self.translator.translate_batch(sentences, **options)
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "pieces": [result.hypotheses[0] for result in results]}


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
        out = []
        with self.torch.inference_mode():
            start = time.perf_counter()
            for at in range(0, len(ids), batch):
                out += self.generate(ids[at : at + batch], beams, length)
            seconds = time.perf_counter() - start
        return {"seconds": seconds, "pieces": [[self.pieces[number] for number in row] for row in out]}


def main():
    engine = {"ctranslate2": CTranslate2, "transformers": Transformers}[sys.argv[1]](**json.loads(sys.argv[2]))
    print(json.dumps(engine.version), flush=True)
    for line in sys.stdin:
        print(json.dumps(engine.translate(**json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
