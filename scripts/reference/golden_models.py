"""Functions that the scripts of the golden model folders share.

Sentences, tiny SentencePiece models, partial training, generate() of
transformers with detection of choices that rounding decides, and measures of
how varied the results are. Used by make_marian_goldens.py,
make_family_goldens.py and compare_families.py.
"""

import json
import os

import sentencepiece
import torch

import make_search_goldens as search

search.GAP = 5e-5

ENGLISH = """the train leaves at nine in the morning
where is the station and how do i get there
i have two brothers and one sister
she reads a book in the garden
we would like a table for four, please
it rains in the evening, but the sun comes back
the old man walks slowly through the town
can you tell me the way to the harbour?
open the window, the air is warm
my friend writes letters to her mother
the river is wide and the bridge is new
they drink tea with milk and sugar
this house was built a hundred years ago
put the bread on the table and call the children
the moon stands over the quiet field
nobody knows what tomorrow will bring
he learned to swim in the lake
thank you very much for your help!""".split("\n")

GERMAN = """der zug geht um neun uhr am morgen
wo ist der bahnhof und wie komme ich dahin
ich habe zwei brüder und eine schwester
sie liest ein buch im garten
wir hätten gern einen tisch für vier personen
am abend regnet es, aber die sonne kommt wieder
der alte mann geht langsam durch die stadt
können sie mir den weg zum hafen sagen?
mach das fenster auf, die luft ist warm
meine freundin schreibt briefe an ihre mutter
der fluss ist breit und die brücke ist neu
sie trinken tee mit milch und zucker
dieses haus wurde vor hundert jahren gebaut
leg das brot auf den tisch und ruf die kinder
der mond steht über dem stillen feld
niemand weiß, was der morgen bringt
er lernte im see schwimmen
vielen dank für ihre hilfe!""".split("\n")

SOURCES = [
    "tea",
    "the old bridge",
    "my sister reads a letter in the warm evening",
    "can you call the station?",
    "Ж 9 milk",
    "we walk through the quiet town, and nobody knows what the river will bring to the field",
]


def train_pieces(path, lines, size, **options):
    """Writes a SentencePiece model; returns its ordinary pieces."""
    options.setdefault("normalization_rule_name", "identity")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_prefix=path,
        vocab_size=size,
        character_coverage=1.0,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
        **options,
    )
    os.rename(path + ".model", path)
    os.remove(path + ".vocab")
    model = sentencepiece.SentencePieceProcessor(model_file=path)
    return [model.id_to_piece(i) for i in range(len(model)) if not model.is_control(i) and not model.is_unknown(i)]


def write_json(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        json.dump(value, f, indent=1, ensure_ascii=False)
        f.write("\n")


def padded(rows, pad):
    longest = max(map(len, rows))
    return torch.tensor([row + [pad] * (longest - len(row)) for row in rows])


def train(model, pairs, stop):
    """Trains the model partially on pairs of source ids and target ids (with the
    start token). An untrained model repeats one piece forever."""
    pad = model.config.pad_token_id
    source, target = padded([a for a, _ in pairs], pad), padded([b[1:] for _, b in pairs], -100)
    mask = (torch.arange(source.shape[1])[None] < torch.tensor([[len(a)] for a, _ in pairs])).long()
    inputs = padded([b[:-1] for _, b in pairs], pad)
    kept = [p for n, p in model.named_parameters() if "embed_positions" not in n]
    adam = torch.optim.Adam(kept, lr=5e-3)
    model.eval()  # no dropout
    model.config.use_cache, caches = False, model.config.use_cache  # FSMT with a cache computes the last token only
    for _ in range(250):
        logits = model(input_ids=source, attention_mask=mask, decoder_input_ids=inputs).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-100)
        adam.zero_grad()
        loss.backward()
        adam.step()
        if loss.item() < stop:
            break
    model.config.use_cache = caches
    return loss.item()


KEYS = {"beams": "num_beams", "n_best": "num_return_sequences"}


def generate(model, source_ids, prefix, settings, tokens=None):
    """Returns the output of generate(), or None if rounding decides a choice.
    `tokens`: the start token and forced tokens of the target language."""
    tokens = tokens or {}
    changes = {KEYS.get(k, k): v for k, v in settings.items()}
    for key in ("min_length", "max_length"):
        if key in changes:
            changes[key] += 1
    if "max_length" in changes:
        changes["max_new_tokens"] = None  # it would take precedence
    source = torch.tensor([source_ids])
    start = tokens.get("decoder_start_token_id", model.generation_config.decoder_start_token_id)
    if "tgt_lang" in tokens:  # SeamlessM4T: it becomes decoder_input_ids
        tokens = {} if prefix else {"tgt_lang": tokens["tgt_lang"]}
    extra = {"decoder_input_ids": torch.tensor([[start] + prefix])} if prefix else {}
    if getattr(model.config, "num_decoder_layers", 0) > getattr(model.config, "num_layers", 0):
        extra["use_cache"] = False  # transformers gives T5's cache as many layers as the encoder has
    with torch.no_grad(), search.Watch(stable=False) as watch:
        out = model.generate(source, attention_mask=torch.ones_like(source), return_dict_in_generate=True,
                             output_scores=True, do_sample=False, **extra, **changes, **tokens)  # fmt: skip
    return None if watch.close else out


def effective(model, settings, key, hf_key):
    return settings.get(key, getattr(model.generation_config, hf_key))


def hypotheses_of(model, tokenizer, source_ids, prefix, settings, tokens=None):
    beams = effective(model, settings, "beams", "num_beams")
    case = {"prefix": prefix, "settings": {"beams": beams}}
    case["settings"]["length_penalty"] = effective(model, settings, "length_penalty", "length_penalty")
    out = generate(model, source_ids, prefix, settings, tokens)
    if out is None:
        return None
    if "tgt_lang" in (tokens or {}) and not prefix:
        case["prefix"] = [tokens["forced_bos_token_id"]]
    hypotheses = search.read_hypotheses(out, case)
    for h in hypotheses:
        try:
            h["text"] = tokenizer.decode(h["ids"], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        except IndexError:  # SentencePiece has no piece for the id of a spare row
            return None
    return hypotheses


def lengths_of(lines, ends):
    """Returns the lengths of finished hypotheses, the number of searches with several lengths, and of all searches."""
    own, several, count = [], 0, 0
    for line in lines:
        for sentence in line["sentences"]:
            found = [len(h["ids"]) for h in sentence["hypotheses"] if h["ids"][-1] in ends]
            own += found
            several += len(set(found)) > 1
            count += len(sentence["hypotheses"])
    return own, several, count


def is_lively(line, ends):
    own, several, count = lengths_of([line], ends)
    used = {i for s in line["sentences"] for h in s["hypotheses"] for i in h["ids"]}
    good = [n for n in own if 3 <= n <= 34]
    return len(set(good)) >= 6 and len(good) >= 0.6 * count and several >= 3 and len(used) >= 20


def tokens_found(line, ends):
    found = [i for s in line["sentences"] for h in s["hypotheses"] for i in h["ids"]]
    return sorted(set(found) - set(ends), key=lambda i: -found.count(i))
