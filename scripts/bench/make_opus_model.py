"""Writes a Marian model folder with random weights, of the size of OPUS-MT.

    python make_opus_model.py OUT --tokenizer FOLDER

Shapes, vocabulary and configuration are those of the published opus-mt models (6 + 6 layers, d 512,
ffn 2048, 8 heads, swish, tied embeddings); the weights are random. The speed can thus be measured
without a download. No token is forced to be the last one, so every engine writes exactly the length
that it is asked for. FOLDER has source.spm, target.spm and vocab.json.
"""

import argparse
import json
import pathlib
import shutil

import numpy as np
from safetensors.numpy import save_file

D, FFN, HEADS, LAYERS = 512, 2048, 8, 6


def random_weights(vocab, pad, seed):
    rng = np.random.default_rng(seed)
    weights = {}

    def normal(shape, scale, mean=0.0):
        return (mean + scale * rng.standard_normal(shape)).astype(np.float32)

    def linear(name, rows, columns, scale=1.0):
        weights[name + ".weight"] = normal((rows, columns), scale * columns**-0.5)
        weights[name + ".bias"] = normal(rows, 0.02)

    # With tied embeddings and norm weights near 1, the model repeats the last token; random signs prevent this.
    # Sublayers whose output dominates the token, the same in each step, repeat one token; a scale of 0.4 prevents this.
    def norm(name):
        weights[name + ".weight"] = normal(D, 0.1, 1.0) * rng.choice([-1, 1], D).astype(np.float32)
        weights[name + ".bias"] = normal(D, 0.1)

    weights["model.shared.weight"] = normal((vocab, D), D**-0.5)
    weights["model.shared.weight"][pad] = 0
    weights["final_logits_bias"] = normal((1, vocab), 0.5)
    for stack in ("encoder", "decoder"):
        attentions = ("self_attn", "encoder_attn") if stack == "decoder" else ("self_attn",)
        for layer in range(LAYERS):
            prefix = f"model.{stack}.layers.{layer}."
            for attention in attentions:
                for part in ("q_proj", "k_proj", "v_proj"):
                    linear(f"{prefix}{attention}.{part}", D, D)
                linear(f"{prefix}{attention}.out_proj", D, D, 0.4)
                norm(f"{prefix}{attention}_layer_norm")
            linear(prefix + "fc1", FFN, D)
            linear(prefix + "fc2", D, FFN, 0.4)
            norm(prefix + "final_layer_norm")
    return weights


def configuration(vocab, eos, pad):
    stacks = {}
    for stack in ("encoder", "decoder"):
        stacks |= {f"{stack}_layers": LAYERS, f"{stack}_attention_heads": HEADS, f"{stack}_ffn_dim": FFN}
    search = {
        "bad_words_ids": [[pad]],
        "bos_token_id": 0,
        "decoder_start_token_id": pad,
        "eos_token_id": eos,
        "forced_eos_token_id": None,
        "max_length": 512,
        "num_beams": 4,
        "pad_token_id": pad,
    }
    model = {
        "architectures": ["MarianMTModel"],
        "model_type": "marian",
        "activation_function": "swish",
        "d_model": D,
        "is_encoder_decoder": True,
        "max_position_embeddings": 512,
        "scale_embedding": True,
        "share_encoder_decoder_embeddings": True,
        "static_position_embeddings": True,
        "tie_word_embeddings": True,
        "decoder_vocab_size": vocab,
        "vocab_size": vocab,
    }
    return model | stacks | search, search


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--tokenizer", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    pieces = json.loads((args.tokenizer / "vocab.json").read_text())
    vocab, eos, pad = max(pieces.values()) + 1, pieces["</s>"], pieces["<pad>"]
    config, search = configuration(vocab, eos, pad)
    args.out.mkdir(parents=True, exist_ok=True)
    for name in ("source.spm", "target.spm", "vocab.json", "tokenizer_config.json"):
        if (args.tokenizer / name).exists():
            shutil.copy(args.tokenizer / name, args.out)
    save_file(random_weights(vocab, pad, args.seed), args.out / "model.safetensors", metadata={"format": "pt"})
    (args.out / "generation_config.json").write_text(json.dumps(search, indent=1) + "\n")
    (args.out / "config.json").write_text(json.dumps(config, indent=1) + "\n")  # last: the folder is complete


if __name__ == "__main__":
    main()
