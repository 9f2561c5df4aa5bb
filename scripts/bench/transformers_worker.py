"""Translates batches of ids with transformers generate(), told line by line what to do.

    python transformers_worker.py MODEL THREADS

Each line of stdin is a JSON object {"ids": [[...], ...], "beams": N, "length": N}; the answer is one
line {"seconds": S, "ids": [[...], ...], "peak": BYTES}: the time of generate() alone, the new tokens of each
best hypothesis, and the peak memory of this process so far.
"""

import json
import sys
import time

import torch
import transformers
from transformers import MarianMTModel


def peak_memory():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def main():
    folder, threads = sys.argv[1], int(sys.argv[2])
    torch.set_num_threads(threads)
    transformers.logging.set_verbosity_error()
    model = MarianMTModel.from_pretrained(folder, torch_dtype=torch.float32).eval()
    print(json.dumps({"torch": torch.__version__, "transformers": transformers.__version__}), flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        ids = torch.tensor(job["ids"])
        length = job["length"]
        with torch.inference_mode():
            start = time.perf_counter()
            out = model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                num_beams=job["beams"],
                do_sample=False,
                min_new_tokens=length,
                max_new_tokens=length,
            )
            seconds = time.perf_counter() - start
        print(json.dumps({"seconds": seconds, "ids": out[:, 1:].tolist(), "peak": peak_memory()}), flush=True)


if __name__ == "__main__":
    main()
