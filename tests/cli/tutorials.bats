#!/usr/bin/env bats
# shellcheck disable=SC2154 # stderr is set by bats
# Models of tutorials on the command line, and scripts/export_tutorial.py.

bats_require_minimum_version 1.5.0
load helper

golden=$GOLDEN_ROOT/transformers

@test "writes unknown words as the vocabulary does" {
    run -0 --separate-stderr "$DRAGOMAN" -m "$golden/annotated-plain" --format jsonl <<<"the zebra <s> sees"
    [[ $output == *'"source_ids":[0,'*',3,3,'*',1]'* ]]
}

@test "encodes a text without words as the unknown token if the model has no special tokens" {
    run -0 --separate-stderr "$DRAGOMAN" -m "$golden/q-linear-plain" --format jsonl <<<$'\x1c\nthe cat'
    [[ ${lines[0]} == *'"source_ids":[0],'* && ${lines[1]} != *'"source_ids":[0],'* ]]
}

@test "cuts a line of too many words at a space" {
    run -0 --separate-stderr "$DRAGOMAN" -m "$golden/annotated-plain" <<<"$(printf 'the cat . %.0s' {1..30})"
    [ "${#lines[@]}" -eq 1 ]
    [[ $stderr == *"wrapped"* || $stderr == *"parts"* || $stderr == *"cut"* ]]
}

@test "rejects a language if the files name none" {
    run -2 --separate-stderr "$DRAGOMAN" -m "$golden/annotated-plain" --to de <<<"the cat"
    [ "$output" = "" ]
    [[ $stderr == *"--to de: this model's files name no languages to choose from" ]]
}

# Pickles of a class tree like torchtext's, made without it.
make_vocabularies() {
    python3 - "$1" <<'PYTHON'
import collections, pickle, sys, types
folder = sys.argv[1]
def module(name):
    sys.modules[name] = types.ModuleType(name)
    return sys.modules[name]
def named(cls, name, home):
    cls.__name__ = cls.__qualname__ = name
    cls.__module__ = home
    setattr(sys.modules[home], name, cls)
    return cls
for name in ("torchtext", "torchtext._torchtext", "torchtext.vocab", "torchtext.vocab.vocab", "torchtext.data"):
    module(name)
class Core:
    def __init__(self, tokens):
        self.tokens = tokens
    def __getstate__(self):
        return ("0.0.2", [3], self.tokens, [])
    def __setstate__(self, state):
        raise SystemExit("never called")
named(Core, "Vocab", "torchtext._torchtext")
class New:
    def __init__(self, tokens):
        self.training, self._modules, self.vocab = True, collections.OrderedDict(), Core(tokens)
named(New, "Vocab", "torchtext.vocab.vocab")
class Old:
    def __init__(self, tokens):
        self.itos, self.stoi = tokens, collections.defaultdict(self.zero, {t: i for i, t in enumerate(tokens)})
        self.freqs = collections.Counter(tokens)
    def zero(self):
        return 0
named(Old, "Vocab", "torchtext.vocab")
class Field:
    pass
named(Field, "Field", "torchtext.data")
class Bad:
    def __reduce__(self):
        import os
        return os.system, (f"touch {folder}/executed",)
tokens = ["<s>", "</s>", "<blank>", "<unk>", "a", "b\n", "c"]
field = Field()
field.lower, field.vocab = True, Old(tokens)
for name, value in (("new", (New(tokens), New(tokens[:4] + ["d"]))), ("old", field), ("bad", [Bad(), Bad()]),
                    ("dict", {t: i for i, t in enumerate(tokens)})):
    with open(f"{folder}/{name}.pkl", "wb") as f:
        pickle.dump(value, f)
PYTHON
}

read_vocabulary() {
    python3 -c 'import sys; sys.path.insert(0, sys.argv[2] + "/scripts"); import export_tutorial as e; print(e.read_vocabularies(sys.argv[1]))' "$1" "$ROOT"
}

@test "export_tutorial.py reads torchtext's vocabularies without torchtext, and executes nothing" {
    command -v python3 >/dev/null || skip "no python3"
    make_vocabularies "$BATS_TEST_TMPDIR"
    run -0 read_vocabulary "$BATS_TEST_TMPDIR/new.pkl"
    [ "$output" = "[['<s>', '</s>', '<blank>', '<unk>', 'a', 'b\\n', 'c'], ['<s>', '</s>', '<blank>', '<unk>', 'd']]" ]
    run -0 read_vocabulary "$BATS_TEST_TMPDIR/old.pkl"
    [ "$output" = "[['<s>', '</s>', '<blank>', '<unk>', 'a', 'b\\n', 'c']]" ]
    run -0 read_vocabulary "$BATS_TEST_TMPDIR/dict.pkl"
    [ "$output" = "[['<s>', '</s>', '<blank>', '<unk>', 'a', 'b\\n', 'c']]" ]
    run -1 read_vocabulary "$BATS_TEST_TMPDIR/bad.pkl"
    [ ! -e "$BATS_TEST_TMPDIR/executed" ]
}

@test "export_tutorial.py makes a folder that translates as the checkpoint does" {
    python3 -c 'import torch, safetensors' 2>/dev/null || skip "no torch or no safetensors"
    local text="the cat sees a bird ."
    for name in annotated-plain w-qs-plain; do
        local preset=annotated tokens=() more=()
        [ $name = w-qs-plain ] && preset=w_qs && more=(--set softmax_temperature=4.0)
        [ $name = w-qs-plain ] && tokens=(--set start_id=2 --set end_id=3 --set pad_id=1 --set unk_id=0)
        run -0 python3 "$ROOT/scripts/export_tutorial.py" --names $preset --heads 2 --checkpoint "$golden/$name/model.pt" \
            --source-vocab "$golden/$name/source_vocab.txt" --target-vocab "$golden/$name/target_vocab.txt" \
            "${tokens[@]}" "${more[@]}" --set pad_id="$([ $preset = w_qs ] && echo 1 || echo 2)" -o "$BATS_TEST_TMPDIR/$name"
        run -0 --separate-stderr "$DRAGOMAN" -m "$BATS_TEST_TMPDIR/$name" --format jsonl --max-length 20 <<<"$text"
        local exported=$output
        run -0 --separate-stderr "$DRAGOMAN" -m "$golden/$name" --format jsonl --max-length 20 <<<"$text"
        [ "$output" = "$exported" ]
    done
}

@test "export_tutorial.py refuses heads and vocabularies that are not those of the model" {
    command -v python3 >/dev/null || skip "no python3"
    call() { python3 -c 'import sys; sys.path.insert(0, sys.argv[2] + "/scripts"); import export_tutorial as e; print(eval("e." + sys.argv[1]))' "$1" "$ROOT"; }
    run -1 call 'check_heads({"d_model": 512, "heads": 7})'
    [ "$output" = "export_tutorial.py: 7 heads do not divide the width of the model, 512; give the number of heads that the tutorial's program uses" ]
    run -1 call 'check_heads({"d_model": 512, "heads": 8, "decoder_heads": 0})'
    [ "$output" = "export_tutorial.py: decoder_heads must be a whole number of at least 1, not 0" ]
    run -0 call 'check_heads({"d_model": 512, "heads": 7, "head_size": 64})'
    run -1 call 'check_vocabulary("source", ["a"] * 5, {"source_vocab_size": 14})'
    [ "$output" = "export_tutorial.py: the source vocabulary has 5 tokens, but the model has 14 embeddings: it is that of another model" ]
    run -0 call 'check_vocabulary("target", ["a"] * 15, {"target_vocab_size": 16})'
    [[ $output == *"'a', '']" ]]
    run -1 call 'read_vocabularies("/dev/null/no.txt")'
    [[ $output == *NotADirectoryError* ]]
    printf '\xff\n' >"$BATS_TEST_TMPDIR/latin.txt"
    run -1 call "read_vocabularies('$BATS_TEST_TMPDIR/latin.txt')"
    [[ $output == "export_tutorial.py: $BATS_TEST_TMPDIR/latin.txt: cannot be read as a vocabulary: "* ]]
}

@test "export_tutorial.py says what to save instead of a whole model" {
    python3 -c 'import torch, safetensors' 2>/dev/null || skip "no torch or no safetensors"
    python3 -c 'import sys, torch; torch.save(torch.nn.Linear(2, 2), sys.argv[1])' "$BATS_TEST_TMPDIR/whole.pt"
    echo text >"$BATS_TEST_TMPDIR/text.pt"
    for file in whole.pt text.pt none.pt; do
        run -1 python3 "$ROOT/scripts/export_tutorial.py" --names annotated --heads 2 --checkpoint "$BATS_TEST_TMPDIR/$file" \
            --vocab "$golden/annotated-plain/source_vocab.txt" -o "$BATS_TEST_TMPDIR/out"
        [[ $output == "export_tutorial.py: $BATS_TEST_TMPDIR/$file: "* && $output != *Traceback* ]]
        [[ $file == none.pt || $output == *"write torch.save(model.state_dict(), FILE)" ]]
    done
}
