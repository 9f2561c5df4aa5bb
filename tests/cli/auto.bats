#!/usr/bin/env bats
# --from auto with one multilingual model: the language of each line and of each document is detected. Detection itself
# is tested by tests/unit/test_language_detector.c.
# shellcheck disable=SC2153,SC2154 # MODEL and status are helper.bash's

load helper
load mixed_lines

M2M=$GOLDEN_ROOT/families/m2m100-relu
NLLB=$GOLDEN_ROOT/families/nllb-relu-all-languages
UNKNOWN="the language is not recognized; the line was copied"

setup_file() {
    export BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR
    setup
    write_languages 6
    translate -m "$M2M" --from auto --to en </dev/null
    ! grep -q 'needs the library CLD2' err || touch no_cld2
}

# Lines of each language that are recognized, in de, fr and ru, and alternating in mixed.
write_lines() {
    local shared=$BATS_FILE_TMPDIR/files
    [[ ! -e $shared/no_cld2 ]] || skip "no CLD2"
    cp "$shared"/{de,fr,ru,mixed} .
}

@test "mixed lines give what each language gives, with every family and many settings" {
    write_lines
    for model in nllb-relu-all-languages small100-relu mbart25-gelu mbart50-gelu; do
        model=$GOLDEN_ROOT/families/$model
        expect_same -m "$model" --to en --max-length 12
        expect_same -m "$model" --to en --max-length 12 --keep 'Museum|musée|[Дд]ети' --split -b 3
    done
    expect_same -m "$M2M" --to en
    expect_same -m "$M2M" --to en --split -b 3 --max-length 12
    expect_same -m "$M2M" --to en --rescue --prefix a -j 1 --max-length 12
    expect_same -m "$M2M" --to en --keep 'Museum|musée|[Дд]ети' --split --max-length 12
    expect_same -m "$M2M" --to en --alignment soft -g --max-length 12 -j 2 --batch-rows 3
    expect_same -m "$M2M" --to en -m "$NLLB" --via en --to pl --max-length 12
    expect_same -m "$M2M,$M2M" --to en --max-length 12
}

@test "other formats and n-best lists give what each language gives; only --from auto names languages" {
    write_lines
    fields() { jq -c '[.source, .source_ids, .translations]' "$@"; }
    for lang in $LANGUAGES; do
        dragoman -q -m "$M2M" --to en -b 3 -n 2 --format jsonl --confidence --from "$lang" "$lang" | fields >"$lang.out"
    done
    paste -d '\n' de.out fr.out ru.out >expected
    translate -q -m "$M2M" --to en -b 3 -n 2 --format jsonl --confidence --from auto mixed
    fields out | cmp - expected
    jq -r '"\(.line) \(.language)"' out | cmp - <(seq 18 | paste -d ' ' - <(repeat 18 <(printf 'de\nfr\nru\n')))
    [[ $(grep -c '"language":' out) == 18 ]]
    translate -q -m "$M2M" --from de --to en --format jsonl de
    expect_status 0
    [[ $(grep -c '"source":' out) == 6 && $(grep -c '"language":' out) == 0 ]]
    dragoman -q -m "$M2M" --to en --from auto --format tsv mixed | cut -f 1 | cmp - <(seq 18)
    dragoman -q -m "$M2M" --to en --from auto --format tsv -n 2 -b 3 mixed | cut -f 4 >rows
    dragoman -q -m "$M2M" --to en --from auto --format text -n 2 -b 3 mixed | cmp - rows
}

@test "the number of threads and the neighbours of a line do not matter" {
    write_lines
    dragoman -q -m "$M2M" --to en --from auto mixed >expected
    for threads in 1 2 5; do
        dragoman -q -m "$M2M" --to en --from auto -j "$threads" mixed | cmp - expected
    done
    tac mixed | dragoman -q -m "$M2M" --to en --from auto | tac | cmp - expected
}

@test "2,000 alternating lines" {
    write_lines
    dragoman -q -m "$M2M" --to en --from auto -g --max-length 6 mixed >once
    repeat 2000 mixed >many
    repeat 2000 once >expected
    translate -q -m "$M2M" --to en --from auto -g --max-length 6 many
    expect_status 0
    cmp out expected
}

@test "a line is written before the next one is read" {
    write_lines
    mkfifo to from
    dragoman -q -m "$M2M" --to en --from auto <to >from &
    exec 8>to 9<from
    dragoman -q -m "$M2M" --to en --from auto mixed >expected
    while IFS= read -r line <&7 && IFS= read -r want <&6; do
        printf '%s\n' "$line" >&8
        IFS= read -r -t 60 got <&9
        [[ $got == "$want" ]]
    done 7<mixed 6<expected
    exec 8>&-
    wait $!
}

@test "texts that are not recognized are copied, with a warning" {
    write_lines
    printf 'Hmm\nDie Kinder spielen im Garten.\nKumusta ka\n' >in
    translate -m "$M2M" --from auto --to en in
    expect_status 0
    expect_err "dragoman: in:1: $UNKNOWN" "dragoman: in:3: $UNKNOWN"
    [[ $(sed -n '1p;3p' out | paste -sd'|') == 'Hmm|Kumusta ka' ]]
    [[ $(sed -n 2p out) == "$(dragoman -q -m "$M2M" --from de --to en <<<'Die Kinder spielen im Garten.')" ]]
    translate -q -m "$M2M" --from auto --to en in
    expect_err
    yes Hmm | head -n 30 >in
    translate -m "$M2M" --from auto --to en in
    cmp in out
    [[ $(tail -n 1 err) == 'dragoman: 20 more lines whose language is not recognized or not translated' ]]
    [[ $(wc -l <err) == 11 ]]
}

@test "copied lines in other formats" {
    write_lines
    printf 'Hmm\n\n12\nWhere does the train to the coast leave?\n' >in
    translate -q -m "$M2M" --from auto --to en --format jsonl in
    [[ $(jq -c '[.line, .language, .translations[].text]' out | paste -sd' ') == \
        '[1,null,"Hmm"] [2,null] [3,null,"12"] [4,"en","Where does the train to the coast leave?"]' ]]
    translate -q -m "$M2M" --from auto --to en --format tsv in
    [[ $(cut -f 4 out | head -n 3 | paste -sd'|') == 'Hmm||12' ]]
    translate -q -m "$M2M" --from auto --to en --alignment hard in
    expect_status 0
    [[ $(head -n 1 out) == 'Hmm ||| ' ]]
    translate -q -m "$M2M" --from auto --to en -b 2 -n 2 in
    [[ $(head -n 4 out | paste -sd'|') == 'Hmm|Hmm||' ]]
}

@test "--unknown error stops at the line; what is before it is written" {
    write_lines
    printf 'Die Kinder spielen im Garten.\n\n12\nHmm\nDie Kinder spielen im Garten.\n' >in
    translate -m "$M2M" --from auto --to en --unknown error in
    expect_status 1
    expect_err "dragoman: in:4: the language is not recognized"
    [[ $(wc -l <out) == 3 ]]
    translate -m "$M2M" --from auto --to en --unknown error -o target in
    expect_status 1
    [[ ! -e target ]]
    translate -m "$M2M" --from auto --to en --unknown copy in
    expect_status 0
}

@test "texts in the target language are copied without a warning" {
    write_lines
    translate -m "$M2M" --from auto --to de --unknown error de
    expect_status 0
    expect_err
    cmp out de
    printf '孩子们正在旧学校后面的花园里玩耍。\n孩子們正在舊學校後面的花園裡玩耍。\n' >in
    translate -m "$NLLB" --from auto --to zho_Hans in
    [[ $(head -n 1 in) == "$(head -n 1 out)" && $(tail -n 1 in) != "$(tail -n 1 out)" ]]
    translate -m "$NLLB" --from auto --to zh-TW in
    [[ $(head -n 1 in) != "$(head -n 1 out)" && $(tail -n 1 in) == "$(tail -n 1 out)" ]]
}

@test "line endings, blank lines, invalid UTF-8, a byte order mark and a missing last newline" {
    write_lines
    { printf '\xef\xbb\xbf'; cat de; } | sed 's/$/\r/' >in
    printf '\n  \nHmm\r\n' >>in
    head -c -1 fr >>in
    dragoman -q -m "$M2M" --from de --to en de | sed 's/$/\r/' >expected
    printf '\n  \nHmm\r\n' >>expected
    dragoman -q -m "$M2M" --from fr --to en fr | head -c -1 >>expected
    translate -q -m "$M2M" --from auto --to en in
    expect_status 0
    cmp out expected
    printf 'Les enfants jouent dans le \xff jardin.\nOK \xff\n' >in
    translate -m "$M2M" --from auto --to en in
    expect_status 0
    grep -qx 'dragoman: in:1: invalid UTF-8 or NUL replaced by U+FFFD; if the text is in another encoding, name it with --encoding' err
    [[ $(head -n 1 out) == "$(dragoman -q -m "$M2M" --from fr --to en <<<'Les enfants jouent dans le � jardin.')" ]]
    [[ $(tail -n 1 out) == 'OK �' ]]
    : | dragoman -m "$M2M" --from auto --to en >out
    [[ ! -s out ]]
}

@test "-v counts the texts of each language" {
    write_lines
    { cat mixed; printf 'Hmm\n\n12\nThe children play in the garden.\n'; } >in
    translate -v -m "$M2M" --from auto --to en in
    expect_status 0
    [[ $(tail -n 1 err) == 'dragoman: languages: 6 de, 1 en (copied), 6 fr, 6 ru, 1 not recognized' ]]
}

@test "a document has one language" {
    write_lines
    { echo '# Hmm'; echo; sed 's/$/\n/' fr; } >page.md
    dragoman -q --max-input 20 -m "$M2M" --from fr --to en page.md >expected
    translate --max-input 20 -m "$M2M" --from auto --to en page.md
    expect_status 0
    expect_err
    cmp out expected
    printf '<html lang="fr"><p>Hmm, hmm</p></html>\n' >page.html
    translate -m "$M2M" --from auto --to en page.html
    expect_status 0
    expect_err "dragoman: page.html: the language is not recognized; the document was copied"
    cmp out page.html
    translate -m "$M2M" --from auto --to en --unknown error page.html
    expect_status 1
    expect_err "dragoman: page.html: the language is not recognized"
    { echo '<html lang="de">'; sed 's/.*/<p>&<\/p>/' fr; echo '</html>'; } >page.html
    translate -m "$M2M" --from auto --to fr page.html
    expect_status 0
    expect_err
    cmp out page.html
    translate -m "$M2M" --from auto --to en page.html
    grep -q '<html lang="en">' out
}

@test "a batch with files and documents in several languages" {
    write_lines
    mkdir in
    for lang in $LANGUAGES; do
        cp "$lang" "in/$lang.txt"
        sed 's/$/\n/' "$lang" >"in/$lang.md"
        dragoman -q --max-input 20 -m "$M2M" --from "$lang" --to en -O expected "in/$lang.txt" "in/$lang.md"
    done
    printf 'Hmm\n' >in/unknown.txt
    cp in/unknown.txt expected
    translate --max-input 20 -m "$M2M" --from auto --to en -O result in
    expect_status 0
    expect_err "dragoman: in/unknown.txt:1: $UNKNOWN"
    diff -r expected result
    rm result/fr.md
    translate -q --max-input 20 -m "$M2M" --from auto --to en -O result --resume in
    expect_status 0
    diff -r expected result
    translate --max-input 20 -m "$M2M" --from auto --to en --unknown error -O other in
    expect_status 1
    [[ ! -e other/unknown.txt ]]
    rm expected/unknown.txt
    diff -r expected other
    translate -q -m "$M2M" --from auto --to en -O jsonl --format jsonl in/fr.txt in/de.txt
    [[ $(jq -c '[.line, .language]' jsonl/de.txt | paste -sd' ') == '[1,"de"] [2,"de"] [3,"de"] [4,"de"] [5,"de"] [6,"de"]' ]]
}

@test "a broken pipe ends without a message" {
    write_lines
    repeat 16000 mixed >many
    { dragoman --max-input 20 -m "$M2M" --to en --from auto -g many 2>err || echo "$?" >code; } | head -n 1 >out
    [[ $(cat code) == 141 ]]
    expect_err
}

@test "rejects what --from auto cannot do" {
    expect_usage_error "--from auto and --pieces cannot be used together" --from auto --pieces
    expect_usage_error "--unknown needs --from auto" --unknown error
    expect_usage_error "info: --from auto can only be used to translate; name the language" info --from auto
    expect_usage_error "score: --from auto can only be used to translate; name the language" score --from auto
    for model in "$MODEL" "$GOLDEN_ROOT/families/madlad-fast"; do
        translate -m "$model" --from auto </dev/null
        expect_status 2
        expect_err "dragoman: --from auto can only be used with a model that has several source languages to choose from; leave it out"
    done
}

@test "a language that no model translates is named" {
    write_lines
    printf 'Les enfants jouent dans le jardin de leurs parents.\nHmm\n' >in
    DRAGOMAN_MODEL="" translate --from auto --to de in
    expect_status 0
    grep -qx "dragoman: in:1: the text seems to be in French (fr), which no model translates; the line was copied" err
    grep -qx "dragoman: in:2: $UNKNOWN" err
    cmp out in
    DRAGOMAN_MODEL="" translate --from auto --to de --unknown error in
    expect_status 1
    grep -qx "dragoman: in:1: the text seems to be in French (fr), which no model translates" err
}
