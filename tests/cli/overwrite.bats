#!/usr/bin/env bats
# No command writes to a file that it reads, under any name.
# shellcheck disable=SC2094 # that is what is tried here

load helper
load output

# refused MESSAGE ARGUMENT...: exit 2 with the one line.
refused() {
    local message=$1
    shift
    translate "$@" </dev/null
    expect_status 2
    expect_err "dragoman: $message"
    no_leftovers
}

# other_names FILE: more names of the file, in $names.
other_names() {
    rm -f soft hard
    ln -s "$1" soft
    ln "$1" hard
    names=("$1" "./$1" soft hard "$FILES/$1")
}

@test "refuses to write to an input" {
    numbered_lines 1 3 >file
    cp file copy
    other_names file
    for name in "${names[@]}"; do
        refused "$name is also an input (file); write to another file" -o "$name" file
        refused "file is also an input ($name); write to another file" -o file -- "$name"
        refused "$name is also an input (file); write to another file" -o "$name" copy file
        status=0
        dragoman -o "$name" <file 2>err || status=$?
        expect_status 2
        expect_err "dragoman: $name is also an input (standard input); write to another file"
    done
    status=0
    dragoman file >>file 2>err || status=$?
    expect_status 2
    expect_err "dragoman: standard output is also an input (file); write to another file"
    cmp file copy
}

@test "ignores standard input if it is not read" {
    echo "Hello." >in
    echo "Hello." >target
    dragoman -o target in <target
    cmp target <(dragoman in)
}

@test "no command writes to a file of the model" {
    cp -r "$MODEL" model
    numbered_lines 1 3 >in
    for name in config.json model.safetensors vocab.json source.spm; do
        [[ -e model/$name ]]
        other_names "model/$name"
        refused "model/$name is a file of the model model; write to another file" -m model --as lines -o "model/$name" in
        refused "./model/$name is a file of the model model; write to another file" info -m model -o "./model/$name"
        refused "pack: soft is a file of the model; write to another file" pack -m model -o soft
        refused "shortlist: hard is a file of the model model; write to another file" shortlist -m model in in -o hard
    done
    for target in "${names[@]}"; do
        refused "$target is a file of the model model; write to another file" -m model -o "$target" in
    done
    rm soft hard
    diff -r "$MODEL" model
}

@test "recognizes the model's files through a folder of links" {
    cp -r "$MODEL" blobs
    mkdir model
    for file in blobs/*; do ln -s "../$file" model; done
    refused "pack: blobs/config.json is a file of the model; write to another file" pack -m model -o blobs/config.json
    refused "blobs/vocab.json is a file of the model model; write to another file" -m model --as lines -o blobs/vocab.json
    diff -r "$MODEL" blobs
}

@test "refuses to overwrite a packed model in use" {
    dragoman pack -m "$MODEL" -o packed
    cp packed copy
    ln -s packed link
    refused "link is a file of the model packed; write to another file" -m packed -o link
    refused "packed is a file of the model link; write to another file" info -m link -o packed
    cmp packed copy
    dragoman pack -m "$MODEL" -o link # not the model that is packed
    cmp packed copy
}

@test "refuses to append to a model in use through standard output" {
    dragoman pack -m "$MODEL" -o packed
    cp packed copy
    echo "Hello." >in
    status=0
    dragoman -m packed in >>packed 2>err || status=$?
    expect_status 2
    expect_err "dragoman: standard output is a file of the model packed; write to another file"
    cmp packed copy
    cp -r "$MODEL" model
    dragoman -m model in >model/new.json # the shell has made it
    cmp model/new.json <(dragoman in)
}

@test "refuses to overwrite the program" {
    refused "/proc/self/exe is the program itself; write to another file" -o /proc/self/exe
    ln -s "$DRAGOMAN" program
    refused "program is the program itself; write to another file" -o program
}

@test "writes other files in a model's folder" {
    cp -r "$MODEL" model
    echo "Hello." >in
    for _ in 1 2; do dragoman -m model -o model/out.txt in; done
    cmp model/out.txt <(dragoman in)
    dragoman -m model -o model/new.txt in # there was no such file
}

@test "refuses to write to vocabularies, shortlists and models of an ensemble" {
    local student=$GOLDEN_ROOT/marian_nmt/student
    cp -r "$student" one
    cp -r "$student" two
    mkdir elsewhere
    cp one/vocab.yml elsewhere/words.yml
    refused "elsewhere/words.yml is a file of the model one; write to another file" \
        -m one --vocab elsewhere/words.yml --as lines -o elsewhere/words.yml
    refused "two/model.npz is a file of the model one,two; write to another file" -m one,two -o two/model.npz
    refused "one/vocab.yml is a file of the model one/model.npz; write to another file" \
        -m one/model.npz --as lines -o one/vocab.yml
    jq -r 'keys_unsorted | map(select(test("[\\s]") | not)) | "\t" + join(" ")' "$MODEL/vocab.json" >list
    refused "list is the shortlist in use with the model $MODEL; write to another file" --shortlist list -o list
    diff -r "$student" one
    diff -r "$student" two
}

@test "shortlist: refuses to write to the two texts" {
    numbered_lines 1 5 >source
    numbered_lines 1 5 >target
    ln -s source link
    refused "shortlist: link is also an input (source); write to another file" shortlist source target -o link
    refused "shortlist: target is also an input (target); write to another file" shortlist source target -o target
    cmp source target
}

@test "refuses to write to the configuration file, unless it is not read" {
    local folder=$HOME/.config/dragoman
    mkdir -p "$folder" texts
    echo 'threads = 1' >"$folder/config"
    cp "$folder/config" copy
    ln -s "$folder/config" link
    echo "Hello." >in
    echo "Hello." >texts/config
    for name in "$folder/config" link; do
        refused "$name is the configuration file; write to another file or use --no-config" -o "$name" in
        refused "$name is the configuration file; write to another file or use --no-config" info -o "$name"
    done
    refused "pack: link is the configuration file; write to another file or use --no-config" pack -m "$MODEL" -o link
    refused "$folder/config is the configuration file; write to another file or use --no-config" -O "$folder" texts
    cmp copy "$folder/config"
    translate --no-config -O "$folder" texts
    expect_status 0
    run ! cmp -s copy "$folder/config"
}
