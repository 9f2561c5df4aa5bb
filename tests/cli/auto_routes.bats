#!/usr/bin/env bats
# --from auto without a model: each language has models of its own, which are found as --from LANG finds them.
# shellcheck disable=SC2153,SC2154 # MODEL and status are helper.bash's

load helper
load mixed_lines

setup_file() {
    local lang model
    export BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
    setup
    use_data
    mkdir -p "$MODELS"
    hide_embedded_models
    write_languages 6
    for lang in $LANGUAGES; do
        model=$MODEL
        [[ $lang != fr ]] || model=$GOLDEN_ROOT/marian/quick-gelu-untied # differs from the others
        cp -r "$model" "$MODELS/opus-$lang-en"
        sed -i "s/\"source_lang\": \"en\"/\"source_lang\": \"$lang\"/; s/\"target_lang\": \"de\"/\"target_lang\": \"en\"/" \
            "$MODELS/opus-$lang-en/tokenizer_config.json"
    done
    translate --from auto --to en </dev/null
    ! grep -q 'needs the library CLD2' err || touch no_cld2
}

# Nothing outside of FILES is searched.
use_data() {
    unset DRAGOMAN_MODEL
    export XDG_DATA_HOME=$FILES/data
    MODELS=$XDG_DATA_HOME/dragoman/models
}

# Small models de-en, fr-en and ru-en, lines in their languages, and mixed, in which these alternate; the embedded models
# are hidden.
prepare() {
    local shared=$BATS_FILE_TMPDIR/files
    use_data
    [[ ! -e $shared/no_cld2 ]] || skip "no CLD2"
    cp -r "$shared"/{data,de,fr,ru,mixed} .
    export DRAGOMAN=$shared/program/dragoman
}

@test "mixed lines give what each language gives" {
    prepare
    expect_same --to en
    expect_same --to en -b 3 --split -j 1
    expect_same --to en -b 2 --alignment hard
    expect_same --to en --keep 'Museum|musée|[Дд]ети' --rescue -j 2 --batch-rows 2
    run ! cmp -s de.out fr.out
}

@test "a multilingual model gets the names that it has for languages" {
    prepare
    rm -r "$MODELS"
    mkdir -p "$MODELS"
    cp -r "$GOLDEN_ROOT/families/nllb-relu-all-languages" "$MODELS/nllb"
    { head -n 2 de; echo "这是一个关于今天天气的中文句子。"; head -n 2 fr; } >in
    translate -q --from auto --to en --format jsonl in
    expect_status 0
    jq -r .language out | diff - <(printf 'deu_Latn\ndeu_Latn\nzho_Hans\nfra_Latn\nfra_Latn\n')
    echo "这是一个关于今天天气的中文句子。" | dragoman -q -m nllb --from zho_Hans --to en >expected
    jq -r 'select(.line == 3).translations[0].text' out | cmp - expected
}

@test "texts in the target language are copied, whatever region it has" {
    prepare
    for to in de de_DE de-AT German; do
        rm -rf "$MODELS/many"
        cp -r "$GOLDEN_ROOT/families/m2m100-relu" "$MODELS/many"
        translate -q --from auto --to $to de
        expect_status 0
        cmp out de
    done
}

@test "a model that cannot be opened stops only the files that need it" {
    prepare
    find "$MODELS/opus-ru-en/" -name '*.safetensors' -size +1k -exec truncate -s -200 {} +
    mkdir in
    for lang in de ru fr; do cp $lang in/$lang.txt; done
    translate --from auto --to en -O result in
    expect_status 1
    [[ -s result/de.txt && -s result/fr.txt && ! -e result/ru.txt ]]
    grep -q 'opus-ru-en' err
    translate --from auto --to en mixed
    expect_status 1
    [[ $(wc -l <err) -le 4 ]]
}

@test "a broken library of CLD2 gives one line, and only for --from auto" {
    prepare
    mkdir lib
    echo nonsense >lib/libcld2.so.0
    cp lib/libcld2.so.0 lib/libcld2.so
    LD_LIBRARY_PATH=$FILES/lib translate --from auto --to en mixed
    expect_status 1
    [[ $(wc -l <err) == 1 ]]
    grep -q 'detecting languages needs the library CLD2 (.*libcld2.so.0: .*); install ' err
    LD_LIBRARY_PATH=$FILES/lib translate -q --from de --to en de
    expect_status 0
}

@test "says once which models it uses" {
    prepare
    translate --from auto --to en mixed
    expect_status 0
    [[ $(grep ': using ' err | sort | paste -sd';') == \
        'dragoman: de: using opus-de-en (dragoman);dragoman: fr: using opus-fr-en (dragoman);dragoman: ru: using opus-ru-en (dragoman)' ]]
    head -n 1 de | dragoman --from auto --to en >out 2>err
    expect_err "dragoman: de: using opus-de-en (dragoman)"
}

@test "2,000 alternating lines" {
    prepare
    dragoman -q --to en --from auto -g --max-length 8 mixed >once
    repeat 2000 mixed >many
    repeat 2000 once >expected
    translate -q --to en --from auto -g --max-length 8 many
    expect_status 0
    cmp out expected
}

@test "line numbers and languages in jsonl and tsv are those of the input" {
    prepare
    { echo Hmm; cat mixed; echo; echo 'The children play in the garden.'; } >in
    translate -q --from auto --to en --format jsonl in
    jq -r '"\(.line) \(.language)"' out >languages
    cut -d ' ' -f 1 languages | cmp - <(seq 21)
    [[ $(sed -n '1,4p;20,21p' languages | paste -sd' ') == "1 null 2 de 3 fr 4 ru 20 null 21 en" ]]
    translate -q --from auto --to en --format tsv in
    [[ $(cut -f 1 out | paste -sd' ') == "$(seq -s ' ' 21)" ]]
    translate --from auto --to en --max-input 16 in
    grep -q '^dragoman: in:1: the language is not recognized' err
}

@test "two models through English" {
    prepare
    cp -r "$MODEL" "$MODELS/opus-en-de"
    dragoman -q --from fr --to de fr >expected
    translate --from auto --to de fr
    expect_status 0
    cmp out expected
    grep -q '^dragoman: fr: using opus-fr-en (dragoman) and opus-en-de (dragoman), through English$' err
    translate -q --from auto --to de de
    cmp out de
}

@test "a model with several languages is opened once and translates those without a model of their own" {
    prepare
    cp -r "$GOLDEN_ROOT/families/m2m100-relu" "$MODELS/m2m"
    awk -F '\t' '($1 == "it" || $1 == "sv") && NF == 2 { print $2 }' "$GOLDEN_ROOT/languages/sentences.tsv" >others
    cat others de >in
    {
        awk -F '\t' '$1 == "it" && NF == 2 { print $2 }' "$GOLDEN_ROOT/languages/sentences.tsv" | dragoman -q --from it --to en
        awk -F '\t' '$1 == "sv" && NF == 2 { print $2 }' "$GOLDEN_ROOT/languages/sentences.tsv" | dragoman -q --from sv --to en
        dragoman -q --from de --to en de
    } >expected
    translate --from auto --to en in
    expect_status 0
    cmp out expected
    [[ $(grep ': using ' err | sort | paste -sd';') == \
        'dragoman: de: using opus-de-en (dragoman);dragoman: it: using m2m (dragoman)' ]]
}

@test "documents and batches" {
    prepare
    mkdir in
    for lang in de fr ru; do
        cp "$lang" "in/$lang.txt"
        { echo "<html lang=\"$lang\">"; sed 's/.*/<p>&<\/p>/' "$lang"; echo '</html>'; } >"in/$lang.html"
        dragoman -q --from "$lang" --to en -O expected "in/$lang.txt" "in/$lang.html"
        dragoman -q --from auto --to en "in/$lang.html" | cmp - "expected/$lang.html"
    done
    grep -q 'lang="en"' expected/fr.html
    cp mixed in/mixed.txt
    dragoman -q --from auto --to en mixed >expected/mixed.txt
    translate -q --from auto --to en -O result in
    expect_status 0
    expect_err
    diff -r expected result
}

@test "a model that cannot be opened ends the run with one message after the lines before it" {
    prepare
    # Cut the weights: what is read before them is complete.
    for file in "$MODELS"/opus-ru-en/*.safetensors; do truncate -s 2000 "$file"; done
    { cat de fr; head -n 2 ru; cat de; } >in
    { dragoman -q --from de --to en de; dragoman -q --from fr --to en fr; } >expected
    translate -q --from auto --to en in
    expect_status 1
    cmp out expected
    [[ $(wc -l <err) == 1 ]]
    grep -q "^dragoman: in:13: .*opus-ru-en" err
    translate -q --from auto --to en -o target in
    expect_status 1
    [[ ! -e target ]]
}

@test "an output file that is a model is not replaced" {
    prepare
    file=$(echo "$MODELS"/opus-fr-en/*.safetensors | cut -d " " -f 1)
    cp "$file" copy
    translate -q --from auto --to en -o "$file" fr
    expect_status 1
    grep -q 'is a file of the model .*opus-fr-en; write to another file$' err
    cmp "$file" copy
}

@test "a file of a batch does not replace a model that it needs" {
    prepare
    cp -r "$MODELS/opus-fr-en" copy
    mkdir texts
    cp fr texts/config.json
    cp de texts/other
    translate -q --from auto --to en --as lines -O "$MODELS/opus-fr-en" texts
    expect_status 1
    grep -q 'opus-fr-en/config.json is a file of the model .*opus-fr-en; write to another file$' err
    rm "$MODELS/opus-fr-en/other"
    diff -r copy "$MODELS/opus-fr-en"
}

@test "a broken pipe ends without a message" {
    prepare
    repeat 16000 mixed >many
    { dragoman -q --to en --from auto -g many 2>err || echo "$?" >code; } | head -n 1 >out
    [[ $(cat code) == 141 ]]
    expect_err
}

@test "rejects what needs a model" {
    prepare
    translate --from auto </dev/null
    expect_status 2
    expect_err "dragoman: --from auto needs --to LANG, or a model with -m"
    translate --from auto --to en --shortlist list </dev/null
    expect_status 2
    expect_err "dragoman: --shortlist and --from auto need a model with -m"
    translate --from auto --to pl </dev/null
    expect_status 1
    grep -q "^dragoman: no model on this machine translates into pl: .*'dragoman get --list --to pl'" err
}
