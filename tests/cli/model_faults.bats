#!/usr/bin/env bats
# -m with something that is not a model: the message says what it is and what to give instead.

load helper

LFS='version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'
IS_LFS='is a Git LFS pointer, not the file itself: run "git lfs pull"'
READS='dragoman reads safetensors, .bin and .npz'
FOLDER="a model's folder has config.json, weights (safetensors, .bin or .npz) and a tokenizer"

# expect_fault PATH MESSAGE: one line, exit 1.
expect_fault() {
    translate -m "$1" <<<"One."
    expect_status 1
    expect_err "dragoman: $2"
    [[ ! -s out ]]
}

@test "opens a folder of the Hugging Face cache" {
    hub="models--ORG--NAME"
    mkdir -p $hub/refs $hub/snapshots
    dragoman <<<"One." >expected
    expect_fault $hub "$hub: has no snapshot: is the download complete?"
    cp -r "$MODEL" $hub/snapshots/first
    for id in first "" missing; do
        printf '%s' "$id" >$hub/refs/main
        dragoman -m $hub <<<"One." | cmp - expected
    done
    rm $hub/refs/main
    dragoman -m $hub/ <<<"One." | cmp - expected
    mkdir $hub/snapshots/second
    translate -m $hub <<<"One."
    expect_status 2
    grep -q "^dragoman: $hub: has several snapshots, and refs/main names none of them: give the folder of one: " err
    grep -q "snapshots/first" err
    grep -q "snapshots/second" err
    echo first >$hub/refs/main
    dragoman -m $hub <<<"One." | cmp - expected
    dragoman -m $hub,$hub <<<"One." >/dev/null
    mkdir cache
    mv $hub cache
    expect_fault cache "cache: not a model: $hub is one of several models here: give the folder of one; $FOLDER"
}

@test "rejects names and URLs of models that are not downloaded" {
    expect_fault ORG/opus-mt-en-de "ORG/opus-mt-en-de: no such folder, and no such model on this machine; 'dragoman get ORG/opus-mt-en-de' downloads it"
    expect_fault https://example.org/a/b "https://example.org/a/b is a URL, not a folder: download the model and give its folder"
    expect_fault example.org/a/b "example.org/a/b is a URL, not a folder: download the model and give its folder"
    mkdir ORG
    expect_fault ORG/name "ORG/name: No such file or directory"
    for name in gpt2 en-xx; do
        expect_fault $name "$name: no such folder, file or model; 'dragoman models' lists the models on this machine"
    done
    for name in en-fr EN-FR; do
        expect_fault $name "$name: no such folder, file or model; 'dragoman get en-fr' downloads firefox:en-fr (37 MB)"
    done
    expect_fault ./a/b "./a/b: No such file or directory"
}

@test "rejects folders without a model" {
    mkdir empty gguf lora onnx tokenizer weights packed config above
    expect_fault empty "empty is an empty folder; $FOLDER"
    printf 'GGUF\3\0\0\0' >gguf/m.gguf
    expect_fault gguf "gguf/m.gguf is a GGUF file; $READS"
    echo '{}' >lora/adapter_config.json
    cp "$MODEL"/model.safetensors lora/adapter_model.safetensors
    expect_fault lora "lora/adapter_config.json: base_model_name_or_path is missing: give the model, too: BASE+lora"
    printf '\x08\x08\x12\x07pytorch' >onnx/encoder_model.onnx
    expect_fault onnx "onnx: not a model: encoder_model.onnx is an ONNX model; $READS; $FOLDER"
    cp "$MODEL"/source.spm tokenizer
    expect_fault tokenizer "tokenizer: not a model: source.spm exists, but config.json and weights are missing; $FOLDER"
    cp "$MODEL"/model.safetensors weights
    expect_fault weights "weights: not a model: model.safetensors has no config.json beside it: download config.json, too; $FOLDER"
    dragoman pack -m "$MODEL" -o packed/model.safetensors
    expect_fault packed "packed: not a model: model.safetensors is a packed model: give this file; $FOLDER"
    cp "$MODEL"/config.json config
    translate -m config <<<"One."
    expect_status 1
    grep -q '^dragoman: config: no weights: ' err
    mkdir fairseq
    for file in checkpoint_best.pt model_step_10000.pth best.ckpt; do
        echo 'the 10' >fairseq/dict.en.txt
        cp "$GOLDEN_ROOT/torch/checkpoint.pt" fairseq/$file
        expect_fault fairseq "fairseq: not a model: $file has no config.json beside it: a tutorial's model needs one (docs/tutorial-models.md); convert a checkpoint of fairseq or OpenNMT with the converters of CTranslate2; $FOLDER"
        rm fairseq/*
    done
    cp -r config above/inside
    expect_fault above "above: not a model: did you mean the folder inside in it? $FOLDER"
}

@test "rejects a model with an adapter that is not merged" {
    cp -r "$MODEL" m
    chmod -R u+w m
    echo '{}' >m/adapter_config.json
    expect_fault m "m: adapter_config.json belongs to an adapter (LoRA), but adapter_model.safetensors is missing; if the weights contain the adapter, remove adapter_config.json"
    rm m/adapter_config.json
    perl -0777 -i -pe 'my $size = unpack("Q<", $_); my $names = substr($_, 8, $size);
        $names =~ s/"(?=\w[\w.]*":\{"(?:dtype|shape|data_offsets)")/"base_model.model./g;
        $_ = pack("Q<", length $names) . $names . substr($_, 8 + $size)' m/model.safetensors
    wrapped='m/model.safetensors: the names of the tensors begin with "base_model.model.", so an adapter (LoRA) is not merged: save the result of merge_and_unload() of peft'
    expect_fault m "$wrapped"
    translate pack -m m -o packed
    expect_err "dragoman: $wrapped"
}

@test "names the quantization of weights that do not fit" {
    cp -r "$MODEL" m
    chmod -R u+w m
    jq '.quantization_config = {quant_method: "gptq", bits: 4}' "$MODEL/config.json" >m/config.json
    dragoman <<<"One." >expected
    dragoman -m m <<<"One." | cmp expected -
    perl -0777 -i -pe 's/\.fc1\.weight"/.fc1.qweigh"/g' m/model.safetensors
    expect_fault m "m/config.json: quantization_config is set, and dragoman does not support weights that are quantized (gptq): save the model without quantization (m/model.safetensors: tensor model.encoder.layers.0.fc1.weight is missing)"
}

@test "opens one of two models that share a folder: the one that config.json describes" {
    cp -r "$MODEL" m
    chmod -R u+w m
    cp "$GOLDEN_ROOT/ctranslate2/opennmt-v5-int8"/* m
    dragoman <<<"One." >expected
    dragoman -m m <<<"One." | cmp expected -
    dragoman info -m m | grep -x 'family: marian'
    cp -r "$GOLDEN_ROOT/ctranslate2/marian-f32" c
    chmod -R u+w c
    cp "$MODEL"/model.safetensors c
    dragoman -m "$GOLDEN_ROOT/ctranslate2/marian-f32" --pieces <<<"a b </s>" >expected
    dragoman -m c --pieces <<<"a b </s>" | cmp expected -
}

@test "rejects a file in place of its folder" {
    cp -r "$MODEL" m
    for file in config.json model.safetensors source.spm vocab.json; do
        expect_fault m/$file "m/$file is only one file of a model: give the folder m"
    done
    cp m/model.safetensors .
    expect_fault model.safetensors "model.safetensors: contains only weights: give the folder that also has config.json and the tokenizer"
}

@test "rejects files of other formats" {
    printf 'GGUF\3\0\0\0' >m.gguf
    expect_fault m.gguf "m.gguf is a GGUF file; $READS"
    printf '\x89HDF\r\n\x1a\n..' >tf_model.h5
    expect_fault tf_model.h5 "tf_model.h5 is an HDF5 file (TensorFlow, Keras); $READS"
    printf '\x08\x08\x12\x07pytorch' >encoder_model.onnx
    expect_fault encoder_model.onnx "encoder_model.onnx is an ONNX model; $READS"
    echo a >a
    tar cf m.tar a
    expect_fault m.tar "m.tar is a tar archive; unpack it and give the folder"
    gzip -c m.tar >m.tgz
    expect_fault m.tgz "m.tgz is compressed by gzip; unpack it and give the folder"
    echo "Hello" >notes
    expect_fault notes "notes is text, not a model: did the download fail?"
    : >nothing
    expect_fault nothing "nothing is empty"
}

@test "does not ignore weights of any name that cannot be read" {
    cp -r "$MODEL" m
    mv m/model.safetensors m/b.safetensors
    printf '%b' "$LFS" >m/q.safetensors
    expect_fault m "m: both b.safetensors and q.safetensors may be the weights: rename the right one to model.safetensors"
    rm m/b.safetensors
    expect_fault m "m/q.safetensors $IS_LFS"
    ln -sf nowhere m/q.safetensors
    expect_fault m "m/q.safetensors is a link to nowhere, which does not exist"
}

@test "rejects an added token without an embedding when the model is opened" {
    cp -r "$GOLDEN_ROOT/families/t5-relu" t5
    jq '.added_tokens_decoder["95"] = {content: "foo", special: false}' t5/tokenizer_config.json >config
    mv config t5/tokenizer_config.json
    echo "the" >in
    translate -m t5 in
    expect_status 1
    expect_err 'dragoman: t5/tokenizer_config.json: the added token "foo" has the id 95, but the last embedding of the model has the id 94'
    jq '.added_tokens_decoder["95"].special = true' t5/tokenizer_config.json >config
    mv config t5/tokenizer_config.json
    translate -m t5 --max-length 4 in
    expect_status 0
    cp -r "$GOLDEN_ROOT/marian/swish-opus" marian
    jq 'del(.added_tokens_decoder)' marian/tokenizer_config.json >config
    mv config marian/tokenizer_config.json
    echo '{"foo": 100000}' >marian/added_tokens.json
    translate -m marian in
    expect_status 1
    expect_err 'dragoman: marian/added_tokens.json: the added token "foo" has the id 100000, but the last embedding of the model has the id 121'
}

@test "opens a model whose target has no embedding for an added token" {
    cp -r "$GOLDEN_ROOT/marian/linear-f16-separate" model # 90 and 66 embeddings
    jq 'del(.added_tokens_decoder)' model/tokenizer_config.json >config
    mv config model/tokenizer_config.json
    echo '{"foo": 89}' >model/added_tokens.json
    echo "the foo" >in
    translate -m model --max-length 4 --format jsonl in
    expect_status 0
    jq -e '.source_ids[-2] == 89' out
    translate -m model --max-length 8 --prefix foo in
    expect_status 0
    expect_err "dragoman: warning: the prefix contains text that the model's vocabulary does not have; it becomes the unknown token"
}

@test "recognizes Git LFS pointers" {
    cp -r "$MODEL" m
    for file in model.safetensors config.json vocab.json source.spm target.spm; do
        printf '%b' "$LFS" >m/$file
        expect_fault m "m/$file $IS_LFS"
        cp "$MODEL"/$file m
    done
    rm m/model.safetensors
    for file in pytorch_model.bin model.bin x.pt model.npz other.bin; do
        printf '%b' "$LFS" >m/$file
        expect_fault m "m/$file $IS_LFS"
        expect_fault m/$file "m/$file $IS_LFS"
        rm m/$file
    done
    printf '%b' "$LFS" >m.argosmodel
    expect_fault m.argosmodel "m.argosmodel $IS_LFS"
    printf '%b' "$LFS" >list.bin
    translate --shortlist list.bin <<<"One."
    expect_status 1
    expect_err "dragoman: list.bin $IS_LFS"
}

@test "recognizes Git LFS pointers in a CTranslate2 folder" {
    folder=$GOLDEN_ROOT/ctranslate2/marian-f32
    [[ -e $folder/model.bin ]] || skip "no model of CTranslate2"
    cp -r "$folder" m
    for file in model.bin shared_vocabulary.json config.json; do
        printf '%b' "$LFS" >m/$file
        expect_fault m "m/$file $IS_LFS"
        cp "$folder"/$file m
    done
    printf '<html>' >m/model.bin
    expect_fault m "m/model.bin is text, not a model.bin of CTranslate2: did the download fail?"
    rm m/config.json
    expect_fault m "m/model.bin is text, not a model: did the download fail?"
}

@test "recognizes a web page or a message in place of a file" {
    cp -r "$MODEL" m
    for text in '<!DOCTYPE html><html>' 'Entry not found' '{"error":"Repository not found"}'; do
        printf '%s' "$text" >m/model.safetensors
        expect_fault m "m/model.safetensors is text, not a safetensors file: did the download fail?"
        printf '%s' "$text" >m/source.spm
        expect_fault m "m/source.spm is text, not a SentencePiece model: did the download fail?"
        cp "$MODEL"/source.spm m
    done
    rm m/model.safetensors
    for file in "pytorch_model.bin:a PyTorch file" "x.pt:a PyTorch file" "model.npz:an .npz file" "model.bin:a file of weights"; do
        printf '<html>' >m/"${file%%:*}"
        expect_fault m "m/${file%%:*} is text, not ${file#*:}: did the download fail?"
        rm m/"${file%%:*}"
    done
    echo 'Entry not found' >m/config.json
    expect_fault m "m/config.json is text, not JSON: did the download fail?"
    echo '{"error":"Repository not found"}' >m/config.json
    expect_fault m 'm/config.json: contains the error message "Repository not found": download the file again'
    echo '<html>' >m.argosmodel
    expect_fault m.argosmodel "m.argosmodel is text, not a model: did the download fail?"
}

@test "rejects a package with another compression" {
    package=$GOLDEN_ROOT/argos/translate-en_de.argosmodel
    [[ -e $package ]] || skip "no package"
    python3 -c 'import lzma' || skip "no python3 with lzma"
    python3 - "$package" <<'PYTHON'
import sys, zipfile
source = zipfile.ZipFile(sys.argv[1])
with zipfile.ZipFile("m.argosmodel", "w", zipfile.ZIP_LZMA) as out:
    for name in source.namelist():
        out.writestr(name, source.read(name))
PYTHON
    translate -m m.argosmodel <<<"One."
    expect_status 1
    grep -q 'is compressed by LZMA (method 14), which is not supported: unpack the archive, or pack it again with Deflate$' err
}

@test "rejects links in a loop and broken links" {
    ln -s b a
    ln -s a b
    expect_fault a "a is a loop of links: Too many levels of symbolic links"
    ln -s gone nowhere
    expect_fault nowhere "nowhere is a link to gone, which does not exist"
}

@test "names a folder that denies access" {
    ((EUID != 0)) || skip "root may read everything"
    mkdir -p outer
    cp -r "$MODEL" outer/m
    chmod 000 outer/m
    expect_fault outer/m "outer/m: the folder cannot be read: Permission denied"
    chmod 755 outer/m
    chmod 000 outer
    expect_fault outer/m "outer: the folder cannot be entered: Permission denied"
    chmod 755 outer
}

@test "finds models of an ensemble by name and with commas in their paths" {
    need_default_model
    unset DRAGOMAN_MODEL
    echo "Good morning." >in
    dragoman in >expected
    for models in en-de,en-de "$DEFAULT_MODEL,en-de"; do
        dragoman -m "$models" in | cmp - expected
        DRAGOMAN_MODEL=$models dragoman in | cmp - expected
    done
    ln -s "$DEFAULT_MODEL" a,b
    for models in a,b a,b,a,b en-de,a,b a,b,en-de a,b,./a,b; do
        dragoman -m "$models" in | cmp - expected
    done
    dragoman info -m a,b,a,b | grep -q '^ensemble: '
    expect_fault en-de,nowhere "nowhere: no such folder, file or model; 'dragoman models' lists the models on this machine"
}

@test "a prompt for a model that reads none is refused" {
    translate --prompt hy-mt2 <<<"Hello."
    expect_status 2
    expect_err "dragoman: --prompt hy-mt2: $DRAGOMAN_MODEL is not a language model, so it reads no prompt"
}
