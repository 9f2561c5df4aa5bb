#!/usr/bin/env bats
# dragoman models.

load helper
load models_on_disk

A=aaaaaaa1111111111111111111111111111111aa

rows() { tail -n +2 | sed 's/  */ /g'; }

setup() {
    FILES=$BATS_TEST_TMPDIR/files
    export LC_ALL=C.UTF-8
    isolate
    unset DRAGOMAN_MODEL
    mkdir -p "$FILES"
    cd "$FILES" || return
}

@test "lists every place with languages, sizes and state" {
    hub_model Org/fr-en $A fr en main
    argos_model one es en
    locally_model tiny fr-en-tiny
    model "$(own)/mine"
    mkdir -p "$(own)/firefox" "$HOME/.config/dragoman"
    cp -r "$GOLDEN_ROOT/families/m2m100-relu" "$(own)/many"
    cp -r "$GOLDEN_ROOT/marian_nmt/student" "$(own)/firefox/de-en"
    echo 'alias short = ~/.local/share/dragoman/models/mine' >"$HOME/.config/dragoman/config"
    translate models
    expect_status 0
    expect_err
    grep -v ' embedded ' out | rows | sed -E 's/[0-9.]+ MB/N MB/' | diff -u - <(
        echo "short alias en > de N MB ready"
        echo "many dragoman 100 languages N MB ready"
        echo "mine dragoman en > de N MB ready"
        echo "Org/fr-en Hugging Face fr > en N MB ready"
        echo "argos:es-en Argos Translate es > en N MB ready"
        echo "firefox:de-en Firefox de > en N MB ready"
        echo "firefox:fr-en-tiny translateLocally fr > en N MB ready"
    )
    translate models --format jsonl
    jq -r .name out | grep -qx many
    [[ $(jq -r 'select(.name == "many").source_languages | length' out) == 100 ]]
    while IFS= read -r path; do [[ -e $path ]]; done < <(jq -r .path out)
}

@test "of several packages of one pair the newest is listed" {
    argos_model a es en 1.1
    argos_model b es en 1.0
    argos_model c es en ''
    [[ $(dragoman models --format jsonl | jq -r 'select(.name == "argos:es-en").path') == "$(argos)/a" ]]
}

@test "installed below ~/.local, the embedded models are listed once, beside the models of the user" {
    local installed=$HOME/.local
    mkdir -p "$installed/bin" "$(own)"
    cp "$DRAGOMAN" "$installed/bin/dragoman"
    cp "$DEFAULT_MODEL" "$(own)/en-de.safetensors"
    model "$(own)/mine"
    DRAGOMAN=$installed/bin/dragoman translate models --format jsonl
    expect_status 0
    jq -r '.name + " " + .place' out | diff - <(printf '%s\n' 'mine dragoman' 'en-de embedded')
    [[ $(echo Hello. | DRAGOMAN=$installed/bin/dragoman dragoman -q -m en-de) == "$(echo Hello. | dragoman -q -m en-de)" ]]
}

@test "every listed name can be given to -m" {
    hub_model Org/fr-en $A fr en main
    argos_model one es en
    model "$(own)/mine"
    dragoman models --format jsonl | jq -r .name >names
    [[ $(wc -l <names) -ge 3 ]]
    while IFS= read -r name; do
        translate info -m "$name"
        expect_status 0
    done <names
}

@test "names that -m cannot take are not listed" {
    mkdir -p "$(own)"/{'a,b','~x','-y','@z'} "$(own)/firefox/a,b" "$(hub)"/{models----x,models--..--x,models--a--,'models--a--b c',models--a--b--c}/snapshots
    dragoman models | grep -v ' embedded ' | diff - <(dragoman models | head -1)
}

@test "a broken model is a row with its fault" {
    mkdir -p "$(own)"/{empty,broken}
    echo '{' >"$(own)/broken/config.json"
    head -c 100 /dev/urandom >"$(own)/garbage.safetensors"
    model "$(own)/noweights"
    rm "$(own)"/noweights/*.safetensors
    ln -s nowhere "$(own)/dangling.safetensors"
    translate models
    expect_status 0
    expect_err
    for name in empty broken garbage noweights dangling; do
        grep "^$name " out | grep -qv ready
    done
    [[ $(dragoman models --format jsonl | jq -r 'select(.name == "broken").fault') == *"broken/config.json: not valid JSON"* ]]
}

@test "the fault of a language model without a prompt names the option" {
    mkdir -p "$(own)/unknown"
    echo '{"model_type": "llama", "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "vocab_size": 2,
           "num_attention_heads": 1, "eos_token_id": 1}' >"$(own)/unknown/config.json"
    echo '{"added_tokens": [], "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
           "decoder": {"type": "ByteLevel"},
           "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}}' >"$(own)/unknown/tokenizer.json"
    dragoman models --format jsonl | jq -r 'select(.name == "unknown").fault' >fault
    cat fault
    grep -q -e "--prompt FILE" fault
}

@test "reports a file that says what a model is and cannot be opened" {
    argos_model one es en
    status=0
    (exec 3>&- && ulimit -n 4 && exec "$DRAGOMAN" models) >out 2>err || status=$?
    expect_status 1
    expect_err "dragoman: $(argos)/one/metadata.json: Too many open files"
}

@test "what is not within reach is no model, and does not hide others" {
    argos_model one es en
    mkdir "$(argos)/two"
    python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$(argos)/two/metadata.json"
    translate models
    expect_status 0
    expect_err
    grep -q "^argos:es-en " out
    run ! grep -q two out
}

@test "names with control characters, invalid UTF-8 and wide characters do no harm" {
    local odd
    odd=$(printf 'a\033[31mb')
    model "$(own)/$odd"
    model "$(own)/模型"
    model "$(own)/$(printf 'caf\351')"
    translate models
    expect_status 0
    run ! grep -q "$(printf '\033')" out
    grep -q '^模型  ' out
    dragoman models --format jsonl | iconv -f UTF-8 -t UTF-8 >/dev/null
    dragoman models --format jsonl | jq -e .name >/dev/null
}

@test "--from and --to select, in every spelling" {
    hide_embedded_models
    hub_model Org/fr-en $A fr en main
    hub_model Org/de-en $A de en main
    for language in fr fra French fr_CA; do
        dragoman models --from "$language" --format jsonl | jq -r .name | diff - <(echo Org/fr-en)
    done
    dragoman models --to en --format jsonl | jq -r .name | diff - <(printf 'Org/de-en\nOrg/fr-en\n')
    translate models --from xx
    expect_status 0
    [[ $(wc -l <out) == 1 ]]
    expect_err "dragoman: no model on this machine translates from xx"
    translate models --to xx --format jsonl
    [[ ! -s out ]]
    expect_err "dragoman: no model on this machine translates into xx"
    translate models --from fr --to de # two models could
    expect_err "dragoman: no single model on this machine translates from fr into de; 'dragoman get fr-de' downloads Helsinki-NLP/opus-mt-fr-de (~300 MB)"
}

@test "reads no weights" {
    model "$(own)/huge"
    truncate -s 3G "$(own)/huge/pytorch_model.bin"
    rm -f "$(own)"/huge/*.safetensors
    translate models
    expect_status 0
    grep '^huge ' out | grep -q '3.2 GB'
}

@test "takes no operands" {
    expect_usage_error "models: unexpected file 'x'; it takes no files" models x
}
