#!/usr/bin/env bats
# --keep-unknown, --no-keep-unknown, and models that ask for it. Which parts of a text are unknown is tested by
# tests/unit/test_unknown_text.c.

load helper

# The embedded English-German model, which asks for it.
english() {
    need_default_model
    dragoman -m "$DEFAULT_MODEL" "$@"
}

@test "words and symbols without pieces come out unchanged, exactly once" {
    cat >in <<'EOF'
He is called Владимир.
It takes ~5 minutes, and the area is 20 m².
The signs are α and Ω.
Choose yes|no now.
Tokyo (東京) is big.
EOF
    english in >out
    for text in Владимир ~5 "20 m²" α Ω "|" 東京; do
        [[ $(grep -oF -- "$text" out | wc -l) == 1 ]] || { echo "not once: $text"; cat out; return 1; }
    done
    run ! grep -q $'\uFFFD' out
    english --keep-unknown in | cmp - out
    run ! cmp -s <(english --no-keep-unknown in) out
}

@test "a line of nothing else is copied" {
    printf 'Привет, мир!\n日本語\n' >in
    english in | cmp - in
}

@test "documents do the same" {
    echo '<p>He is called <b>Владимир</b>, and it takes ~5 minutes.</p>' >in.html
    english in.html >out
    grep -qF '<b>Владимир</b>' out
    grep -qF '~5' out
    echo '{"a": "Add {n} to <b>Ω</b> and to {m}."}' >in.json
    english in.json >out
    for text in '{n}' '<b>Ω</b>' '{m}'; do grep -qF -- "$text" out; done
}

@test "by default the model decides" {
    echo "This is Ω of the line." >in
    dragoman in >as_it_is
    dragoman --no-keep-unknown in | cmp - as_it_is
    dragoman --keep-unknown in >kept
    grep -q Ω kept
    run ! cmp -s kept as_it_is
    cp -r "$MODEL" asking
    sed -i '0,/{/s//{ "dragoman_keep_unknown": true,/' asking/config.json
    dragoman -m asking in | cmp - kept
    dragoman -m asking --no-keep-unknown in | cmp - as_it_is
    dragoman pack -m asking -o packed
    dragoman -m packed in | cmp - kept
    dragoman info -m packed | grep -qx "unknown words and symbols: kept"
    run ! grep -q "^unknown" <(dragoman info -m packed --no-keep-unknown)
    sed -i 's/"dragoman_keep_unknown": true/"dragoman_keep_unknown": 1/' asking/config.json
    translate -m asking in
    expect_status 1
    expect_err "dragoman: asking/config.json: dragoman_keep_unknown must be true or false"
}

@test "what an option names counts first" {
    printf 'Ω\tOhm\n' >terms
    echo "The sign is Ω here." >in
    english --glossary terms in >out
    grep -q Ohm out
    run ! grep -q Ω out
    english --keep 'sign is Ω' in | grep -qF 'sign is Ω'
    echo "~5 of the houses" >in
    [[ $(english --keep '~5 of' in | grep -oF '~5' | wc -l) == 1 ]]
    english --keep '~5 of' in | grep -qF '~5 of'
}

@test "given pairs are not concerned" {
    printf 'It is Ω.\tEs ist Ω.\nПривет\tHallo\n' >pairs
    printf 'It is X1.\tEs ist X1.\n' >stand_ins
    dragoman score -m "$DEFAULT_MODEL" pairs >out
    [[ $(wc -l <out) == 2 ]]
    run ! cmp -s <(head -n 1 out) <(dragoman score -m "$DEFAULT_MODEL" stand_ins)
    [[ $(dragoman align -m "$DEFAULT_MODEL" pairs | wc -l) == 2 ]]
}

@test "no line fails" {
    printf '%s\n' "It is that^has^been and so on." "Choose as|will|was now." "a|b||c^d~e" "~" "||||" "word|word|word" \
        "It isn't² true, the man¹ said." "①Go home." "1️⃣ is the first." "https://example.com/~user/a|b" >in
    english in >out
    [[ $(wc -l <out) == 10 ]]
    grep -qF https://example.com/~user/ out
    run ! grep -q $'\uFFFD' out
}

@test "the bytes of other characters make valid UTF-8" {
    printf '%s\n' '%système\Temp\résumé.doc\AppData Øresund' 'Abra Dvořák el archivo ⇩Ȕ config.json.' \
        '% https://sc.wikipedia.org/wiki/It%C3%A0lia : {"k294": "v": "ðþ"} Itàlia ƯȺ' 'MÃ¼ller und GrÃ¶Ãe â¬' >in
    for options in '' '--greedy' '-n 4' '--sample --seed 3 --temperature 2' '--alternatives 3' '--max-length 9'; do
        # shellcheck disable=SC2086 # several options
        english --no-keep-unknown $options in >out
        run ! grep -q $'\uFFFD' out
    done
    dragoman info -m "$DEFAULT_MODEL" | grep -qx "byte pieces: valid UTF-8 only"
    cp -r "$MODEL" other
    sed -i '0,/{/s//{ "dragoman_valid_utf8": 1,/' other/config.json
    translate -m other in
    expect_status 1
    expect_err "dragoman: other/config.json: dragoman_valid_utf8 must be true or false"
}

@test "also with a forced beginning and several translations" {
    echo "He is called Владимир." >in
    [[ $(english -n 3 in | grep -c Владимир) == 3 ]]
    english --prefix "Er heißt" in | grep -q '^Er heißt.*Владимир'
}

@test "a memory answers with the same text" {
    echo "He is called Владимир." >in
    english in >expected
    english --memory memory.tsv in | cmp - expected
    sed -i 's/Владимир\./Владимир!/2' memory.tsv
    english --memory memory.tsv in | grep -q 'Владимир!$'
}

@test "several models pass it on" {
    echo "He is called Владимир." >in
    need_default_model
    english -m "${DEFAULT_MODEL%/*}/de-en.safetensors" in >out
    [[ $(grep -o Владимир out | wc -l) == 1 ]]
}

@test "JSON has them in texts, and their stand-ins in tokens" {
    printf 'The sign Ω is here.\nПривет\n' >in
    english --format jsonl --alignment hard --alignment-unit word in >out
    jq -s -e '.[0].translations[0].text | contains("Ω")' out
    jq -s -e '.[0].translations[0] | (.alignment | map(.[1]) | max) < (.text | split(" ") | length)' out
    [[ $(jq -s -r '.[1].translations[0].text' out) == Привет ]]
}

@test "a language request stays one" {
    languages=$GOLDEN_ROOT/marian/mish-languages
    echo "THE CAT Ω" >in
    dragoman -m "$languages" --keep-unknown --to deu in >expected
    sed 's/^/>>deu<< /' in | dragoman -m "$languages" --keep-unknown | cmp - expected
}

@test "refuses contradictions, and lists of words" {
    expect_usage_error "--keep-unknown and --no-keep-unknown cannot be used together" --keep-unknown --no-keep-unknown
    expect_usage_error "--keep-unknown and --pieces cannot be used together" --keep-unknown --pieces
    translate -m "$GOLDEN_ROOT/transformers/score-10" --keep-unknown <<<"the cat"
    expect_status 2
    expect_err "dragoman: --keep-unknown cannot be used with this model: its vocabulary is a list of words"
}
