#!/usr/bin/env python3
"""Golden references of IndicTrans2: tests/golden/families/indictrans/ and tests/golden/indic_text/.

    git clone https://github.com/AI4Bharat/IndicTrans2 /tmp/IndicTrans2
    pip install -r scripts/reference/requirements.txt IndicTransToolkit==1.1.1 indic-nlp-library-itt==0.1.1
    PYTHONPATH=/tmp/IndicTrans2 scripts/reference/make_indictrans_goldens.py

The model has the code of huggingface_interface/modeling_indictrans.py, random weights that were trained a little, and
the format of make_family_goldens.py. Their text passes through IndicProcessor of IndicTransToolkit before and after
it, with clean_up_tokenization_spaces=True, as in the examples of the toolkit. tests/golden/indic_text has

    lines.jsonl    {"language", "text", "prepared", "replaced", "decoded", "restored"}: a text and what the model reads;
                   the parts that <ID1>, <ID2>, ... stand for; what a model might write, and the translation of it

indic-nlp-library-itt 0.1.1 damages letters with a nukta and texts with colons. Here it does what indic-nlp-library 0.92
does, whose normalizers IndicTrans2 was trained with. Lines with several parts of one kind are left out: the toolkit
numbers them in random order.
"""

import json
import os
import random
import re
from pathlib import Path

import indicnlp.normalize.indic_normalize as normalize
import sentencepiece
import torch
from huggingface_interface.configuration_indictrans import IndicTransConfig
from huggingface_interface.modeling_indictrans import IndicTransForConditionalGeneration
from IndicTransToolkit.processor import IndicProcessor
from safetensors.torch import save_file
from transformers import GenerationConfig, GenerationMixin

import golden_store
from golden_models import hypotheses_of, lengths_of, train, train_pieces, write_json

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
CONTROLS = {"bos_id": 0, "pad_id": 1, "eos_id": 2, "unk_id": 3}
BLOCKS = {"Devanagari": 0x900, "Bengali": 0x980, "Gurmukhi": 0xA00, "Gujarati": 0xA80, "Oriya": 0xB00, "Tamil": 0xB80,
          "Telugu": 0xC00, "Kannada": 0xC80, "Malayalam": 0xD00}

SENTENCES = {
    "asm_Beng": ["আজি বতৰ বৰ ভাল, আমি নদীৰ পাৰলৈ যাম।", "তেওঁ কিতাপখন পঢ়িছে আৰু চাহ খাইছে।", "ৰেলখন পুৱা ৯ বজাত এৰিব।"],
    "ben_Beng": ["আজ সকালে বৃষ্টি হয়েছে, কিন্তু এখন রোদ উঠেছে।", "স্টেশন কোথায়?", "বইটির দাম ২৫০.৫০ টাকা।", "বাড়ি: ১২/৫, নদীর ধারে।"],
    "brx_Deva": ["आं गामिआव थायो।", "बे बिजाबा जोबोर मोजां।"],
    "doi_Deva": ["में अज्ज शैह्‌र जा करनां।", "एह् कताब बड़ी शैल ऐ।"],
    "gom_Deva": ["हांव आयज बाजारांत वतां.", "ती पुस्तक वाचता आनी च्या पियेता."],
    "guj_Gujr": ["આજે સવારે વરસાદ પડ્યો, પણ હવે તડકો છે.", "સ્ટેશન ક્યાં છે?", "મારી બહેન \"પત્ર\" લખે છે."],
    "hin_Deva": ["आज सुबह बारिश हुई, लेकिन अब धूप निकली है।", "स्टेशन कहाँ है और मैं वहाँ कैसे पहुँचूँ?", "ट्रेन 12:30 बजे छूटेगी।",
                 "कृपया info@example.com पर लिखें या https://example.org/a?b=1 देखें।", "बड़ा घर, छोटा दरवाज़ा; क़लम और फ़सल",
                 "ध्यान दें: कीमत ५०% कम (केवल आज) है |"],
    "kan_Knda": ["ಇಂದು ಬೆಳಿಗ್ಗೆ ಮಳೆ ಬಂತು, ಈಗ ಬಿಸಿಲು ಇದೆ.", "ನಿಲ್ದಾಣ ಎಲ್ಲಿದೆ?"],
    "kas_Arab": ["أز چھُ موسم جان۔", "سُہ چھُ کِتاب پَران، تہٕ چاے چیوان۔"],
    "kas_Deva": ["अज़ छु मोसम जान।", "सु छु किताब परान।"],
    "mai_Deva": ["आइ भोरे बरखा भेल, मुदा आब रौद अछि।", "ओ पोथी पढ़ैत अछि।"],
    "mal_Mlym": ["ഇന്ന് രാവിലെ മഴ പെയ്തു, പക്ഷേ ഇപ്പോൾ വെയിലുണ്ട്.", "സ്റ്റേഷൻ എവിടെയാണ്?", "അവന്‍ പുസ്തകം വായിക്കുന്നു."],
    "mar_Deva": ["आज सकाळी पाऊस पडला, पण आता ऊन आहे.", "स्टेशन कुठे आहे?", "अॅपल आणि ऑफिस – दोन शब्द"],
    "mni_Beng": ["ঙসি নুমিৎ অসি ফজৈ।", "মহাক্না লাইরিক পারি।"],
    "mni_Mtei": ["ꯉꯁꯤ ꯅꯨꯃꯤꯠ ꯑꯁꯤ ꯐꯖꯩ꯫", "ꯃꯍꯥꯛꯅꯥ ꯂꯥꯏꯔꯤꯛ ꯄꯥꯔꯤ꯫"],
    "npi_Deva": ["आज बिहान पानी पर्‍यो, तर अहिले घाम लागेको छ।", "स्टेशन कहाँ छ?"],
    "ory_Orya": ["ଆଜି ସକାଳେ ବର୍ଷା ହେଲା, କିନ୍ତୁ ଏବେ ଖରା ହେଉଛି।", "ଷ୍ଟେସନ କେଉଁଠାରେ ଅଛି?", "ବଡ଼ ଘର ଓ ଦୟା"],
    "pan_Guru": ["ਅੱਜ ਸਵੇਰੇ ਮੀਂਹ ਪਿਆ, ਪਰ ਹੁਣ ਧੁੱਪ ਹੈ।", "ਸਟੇਸ਼ਨ ਕਿੱਥੇ ਹੈ?", "ਉਹ ਜ਼ਮੀਨ ’ਤੇ ਬੈਠਾ ਹੈ।"],
    "san_Deva": ["अद्य प्रातः वृष्टिः अभवत्।", "सः पुस्तकं पठति, चायं च पिबति॥"],
    "sat_Olck": ["ᱛᱮᱦᱮᱧ ᱥᱮᱛᱟᱜ ᱫᱟᱜ ᱮ ᱧᱩᱨ ᱮᱱᱟ᱾", "ᱩᱱᱤ ᱯᱚᱛᱚᱵ ᱮ ᱯᱟᱲᱦᱟᱣ ᱮᱫᱟ᱾"],
    "snd_Arab": ["اڄ صبح جو مينهن پيو، پر هاڻي اس آهي.", "اسٽيشن ڪٿي آهي؟"],
    "snd_Deva": ["अॼु सुबूह जो मींहुं पियो।", "स्टेशन किथे आहे?"],
    "tam_Taml": ["இன்று காலை மழை பெய்தது, ஆனால் இப்போது வெயில் அடிக்கிறது.", "நிலையம் எங்கே உள்ளது?", "விலை 1,234.50 ரூபாய்."],
    "tel_Telu": ["ఈ రోజు ఉదయం వర్షం పడింది, కానీ ఇప్పుడు ఎండగా ఉంది.", "స్టేషన్ ఎక్కడ ఉంది?"],
    "urd_Arab": ["آج صبح بارش ہوئی، لیکن اب دھوپ ہے۔", "اسٹیشن کہاں ہے؟", "18سالہ لڑکی نے ٹرین ۱۲:۳۰ بجے پکڑی۔", "یہ كتاب Urdu میں ہے۔"],
    "eng_Latn": ["The train leaves at 12:30, but it isn't late.", "Where is the station?", "Mr. Smith's book costs $5 (or less).",
                 "Write to info@example.com \"today\", please!", "State-of-the-art; see https://example.org/a?b=1."],
}  # fmt: skip

# Pairs: the values of --from and --to, and what they mean
PAIRS = [("hi", "ta", "hin_Deva", "tam_Taml"), ("ben_Beng", "ur", "ben_Beng", "urd_Arab"),
         ("urd", "Punjabi", "urd_Arab", "pan_Guru"), ("sat", "or", "sat_Olck", "ory_Orya"),
         ("mni-Mtei", "kas_Deva", "mni_Mtei", "kas_Deva"), ("en", "hin_Deva", "eng_Latn", "hin_Deva"),
         ("te", "en", "tel_Telu", "eng_Latn"), ("eng_Latn", "bn", "eng_Latn", "ben_Beng")]  # fmt: skip

OPTIONS = {
    "encoder_embed_dim": 16, "decoder_embed_dim": 16, "encoder_layers": 2, "decoder_layers": 1,
    "encoder_ffn_dim": 24, "decoder_ffn_dim": 20, "encoder_attention_heads": 4, "decoder_attention_heads": 2,
    "encoder_normalize_before": True, "decoder_normalize_before": True, "layernorm_embedding": True,
    "share_decoder_input_output_embed": True, "activation_function": "gelu",
}  # fmt: skip
LIMIT = 30


def correct_library():
    """Corrects the two mistakes of indic-nlp-library-itt 0.1.1."""
    for script, block in BLOCKS.items():
        normalizer = getattr(normalize, script + "Normalizer")
        if hasattr(normalizer, "NUKTA"):
            normalizer.NUKTA = chr(block + 0x3C)

        class Visarga:
            def __init__(self, block):
                self.letters, self.visarga = re.compile(f"([{chr(block)}-{chr(block + 0x7f)}]):"), chr(block + 3)

            def sub(self, _, text):
                return self.letters.sub("\\1" + self.visarga, text)

        def init(self, *args, _init=normalizer.__init__, _visarga=Visarga(block), **named):
            _init(self, *args, **named)
            self.visarga_pattern = _visarga

        normalizer.__init__ = init


class Model(IndicTransForConditionalGeneration, GenerationMixin):
    """The published class, which no longer has generate() in recent versions of transformers."""


PREPARER, RESTORER = IndicProcessor(inference=True), IndicProcessor(inference=True)  # each has a queue of parts


def prepare(text, source, target="hin_Deva"):
    return PREPARER.preprocess_batch([text], src_lang=source, tgt_lang=target)[0].split(" ", 2)[2]


def clean_up(text):
    """clean_up_tokenization() of transformers."""
    for mark in (" .", " ?", " !", " ,"):
        text = text.replace(mark, mark[1:])
    text = text.replace(" ' ", "'")
    for end in (" n't", " 'm", " 's", " 've", " 're"):
        text = text.replace(end, end[1:])
    return text


def restore(decoded, text, source, target):
    RESTORER.preprocess_batch([text], src_lang=source, tgt_lang=target)
    return RESTORER.postprocess_batch([clean_up(decoded)], lang=target)[0]


class Side:
    """One side of tokenization_indictrans.py."""

    def __init__(self, folder, side):
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"model.{side}"))
        self.ids = json.loads((folder / f"dict.{side}.json").read_text())
        self.names = {i: piece for piece, i in self.ids.items()}

    def encode(self, text):
        return [self.ids.get(piece, self.ids["<unk>"]) for piece in self.pieces.encode_as_pieces(text)]


class Pair:
    """What hypotheses_of() calls a tokenizer, for one source text."""

    def __init__(self, sides, source, target, text):
        self.sides, self.source, self.target, self.text = sides, source, target, text

    def source_ids(self):
        ids = self.sides[0].ids
        return [ids[self.source], ids[self.target], *self.sides[0].encode(prepare(self.text, self.source)), ids["</s>"]]

    def decode(self, ids, **_):
        pieces = [self.sides[1].names.get(i, "<unk>") for i in ids if i > 3]
        decoded = "".join(pieces).replace("\u2581", " ").strip()
        return restore(decoded, self.text, self.source, self.target)


def write_tokenizer(folder):
    sources = [prepare(text, language) for language, texts in SENTENCES.items() for text in texts]
    for side, size in (("SRC", 240), ("TGT", 230)):
        pieces = train_pieces(str(folder / f"model.{side}"), sources, size, **CONTROLS)
        random.Random(7).shuffle(pieces)
        names = ["<s>", "<pad>", "</s>", "<unk>", *(SENTENCES if side == "SRC" else []), *pieces[1:]]
        text = json.dumps({name: i for i, name in enumerate(names)}, ensure_ascii=False, separators=(",", ":"))
        (folder / f"dict.{side}.json").write_text(text + "\n")
    write_json(folder, "tokenizer_config.json", {"tokenizer_class": "IndicTransTokenizer", "unk_token": "<unk>"})
    return Side(folder, "SRC"), Side(folder, "TGT")


def fill(model):
    for name, p in model.named_parameters():
        normal = torch.randn(p.shape)
        if "norm" in name and name.endswith("weight"):
            p.data = 0.6 + 0.8 * torch.rand(p.shape)
        elif name.endswith("bias"):
            p.data = 0.1 * normal
        elif "embed" in name or "lm_head" in name:
            p.data = normal / p.shape[1] ** 0.5
        else:
            p.data = 1.2 * normal / p.shape[1] ** 0.5


def training_pairs(sides):
    rng, found = random.Random(3), []
    for _, _, source, target in PAIRS:
        for text in SENTENCES[source]:
            for wanted in rng.sample(SENTENCES[target], 1):
                ids = sides[1].encode(prepare(wanted, target))[: rng.randint(4, LIMIT - 4)]
                found.append((Pair(sides, source, target, text).source_ids(), [2, *ids, 2]))
    return found


def solve(model, sides, pair, settings):
    line = {"from": pair[0], "to": pair[1], "settings": settings, "prefix": [], "sentences": []}
    for text in SENTENCES[pair[2]]:
        one = Pair(sides, pair[2], pair[3], text)
        hypotheses = hypotheses_of(model, one, one.source_ids(), [], settings)
        if hypotheses:
            for h in hypotheses:
                h["score"] = round(h["score"], 6)
            line["sentences"].append({"source": text, "source_ids": one.source_ids(), "hypotheses": hypotheses})
    return line


def make_model():
    folder = GOLDEN / "families" / "indictrans"
    folder.mkdir(exist_ok=True)
    sides = write_tokenizer(folder)
    for seed in range(1, 30):
        torch.manual_seed(seed)
        config = IndicTransConfig(encoder_vocab_size=len(sides[0].ids), decoder_vocab_size=len(sides[1].ids),
                                  vocab_size=len(sides[1].ids), max_source_positions=96, max_target_positions=80,
                                  architectures=["IndicTransForConditionalGeneration"], **OPTIONS)  # fmt: skip
        model = Model(config)
        fill(model)
        train(model, training_pairs(sides), 2.2)
        for p in model.parameters():
            p.data = p.data.half().float()  # the values that are stored
        model.generation_config = GenerationConfig(bos_token_id=0, pad_token_id=1, eos_token_id=2,
                                                   decoder_start_token_id=2, max_length=40, use_cache=False)  # fmt: skip
        beam = {"beams": 4, "n_best": 4, "max_length": LIMIT}
        lines = [solve(model, sides, PAIRS[0], beam)]
        if len(lengths_of(lines, [2])[0]) < 4:  # too few hypotheses end
            continue
        lines += [solve(model, sides, pair, {"beams": 1, "n_best": 1, "max_length": LIMIT}) for pair in PAIRS]
        lines += [solve(model, sides, PAIRS[2], {}), solve(model, sides, PAIRS[1], {**beam, "beams": 5, "n_best": 2}),
                  solve(model, sides, PAIRS[5], {**beam, "length_penalty": 0.6}),
                  solve(model, sides, PAIRS[6], beam), solve(model, sides, PAIRS[7], beam)]  # fmt: skip
        break
    config.save_pretrained(folder)
    model.generation_config.use_cache = True
    model.generation_config.save_pretrained(folder)
    weights = {n: p.half().contiguous() for n, p in model.state_dict().items()}
    del weights["lm_head.weight"]  # tied
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with open(folder / "reference.jsonl", "w", encoding="utf-8") as f:
        for line in (line for line in lines if line["sentences"]):
            f.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    print(seed, [len(line["sentences"]) for line in lines])


# --- Texts. ---

STARTS = {"Deva": 0x900, "Beng": 0x980, "Guru": 0xA00, "Gujr": 0xA80, "Orya": 0xB00, "Taml": 0xB80, "Telu": 0xC00,
          "Knda": 0xC80, "Mlym": 0xD00, "Arab": 0x600, "Olck": 0x1C50, "Mtei": 0xABC0, "Latn": 0x41}
SPANS = {"Olck": 0x30, "Latn": 0x3A, "Arab": 0xE0, "Mtei": 0x3A}
NEW = "\u0b53\u0b54\u0c5c\u0cdc\u0c5d\u0cdd"  # letters that Unicode has got recently
PARTS = ["user@mail.com", "www.abc.com", "https://x.org/a?b=1#c.", "12:30", "1,234.5", "50%", "5-10 %", "12/05/2023",
         "@name", "#tag", "10.5 %", "a.b", "..", "1.2.3.4", "http://", "x-y.z", "U.S.", "e.g.", "Mr.", "No. 5", "don't",
         "World's", "'s", "``", "<b>", "A.B", "...", "$5", "C++", "AT&T", "1990's"]  # fmt: skip
MARKS = ["\u00a0", ",", ".", "!", "?", "(", ")", "[", "]", "<", ">", '"', "'", "''", "`", "\u00b4", "\u2018", "\u2019",
         "\u201c", "\u201d", "\u00ab", "\u00bb", "\u2013", "\u2014", "\u2026", ":", ";", "%", "-", "/", "\\", "|",
         "\u0964", "\u0965", "\u200b", "\u200c", "\u200d", "\ufeff", "\u00ad", "\t", "@", "#", "~", "+", "*", "&", "$",
         "n\u00ba\u00a0", "\u00a0\u00baC", " \u094d ", "\u3000", "\u06d4", "\u060c", "\u061f", "\u066a", "\u064b",
         "\ufefb", "\u0627\u0654", "\u0660", "\u0c66", "\u0be7", "2", "34", "\u4e2d", "\u00e9"]  # fmt: skip
COPIES = ["< ID1 >", "<ID1>", "[ID2]", "< ID 1 >", "<id1 ]", "\u0906\u0908\u0921\u09401", "\u0910\u0921\u093f 2",
          "< \u0622\u06cc \u0688\u06cc 1 >", "1 , 234", "\u066e\u06ea", "\u0b2f\u0b3c", "( x )", "'", '"']  # fmt: skip


def word(rng, script):
    start, span = STARTS[script], SPANS.get(script, 0x80)
    return "".join(c for c in (chr(start + rng.randrange(span)) for _ in range(rng.randint(1, 6))) if c not in NEW)


def text_lines(count):
    rng = random.Random(5)
    while count:
        language = rng.choice(list(SENTENCES))
        target = rng.choice([*SENTENCES, "lus_Latn"])
        if rng.random() < 0.3:
            text = rng.choice(SENTENCES[language])
        else:
            text = "".join(rng.choice([word(rng, language[4:]), rng.choice(MARKS), rng.choice(PARTS)]) +
                           rng.choice(["", " "]) for _ in range(rng.randint(1, 12)))  # fmt: skip
        words = [rng.choice([word(rng, target[4:]), word(rng, "Deva"), rng.choice(MARKS), rng.choice(COPIES)])
                 for _ in range(rng.randint(0, 10))]  # fmt: skip
        decoded = re.sub(" +", " ", " ".join(words)).strip()
        prepared = prepare(text, language)
        if len(re.findall(r"ID\d", prepared)) > 1 or "@RA" in decoded or "@LA" in decoded:
            continue
        count -= 1
        yield {"language": language, "text": text, "prepared": prepared, "target": target, "decoded": decoded,
               "restored": restore(decoded, text, language, target)}  # fmt: skip


def main():
    correct_library()
    golden_store.unfold(GOLDEN)
    make_model()
    folder = GOLDEN / "indic_text"
    folder.mkdir(exist_ok=True)
    with open(folder / "lines.jsonl", "w", encoding="utf-8") as f:
        for line in text_lines(300):
            f.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    golden_store.fold(GOLDEN)


if __name__ == "__main__":
    main()
