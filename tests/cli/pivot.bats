#!/usr/bin/env bats
# Several models: each one translates the output of the one before.
# shellcheck disable=SC2153 # MODEL is helper.bash's

load helper

GOLDEN=$GOLDEN_ROOT

# The small model en-de, a copy for de-fr, and a copy without languages.
setup_models() {
    FIRST=$MODEL
    SECOND=$FILES/de-fr
    NAMELESS=$FILES/nameless
    cp -r "$GOLDEN/marian/quick-gelu-untied" "$SECOND"
    cp -r "$GOLDEN/marian/gelu-10-no-forced-end" "$NAMELESS"
    sed -i 's/"source_lang": "en"/"source_lang": "de"/; s/"target_lang": "de"/"target_lang": "fr"/' "$SECOND/tokenizer_config.json"
    sed -i '/_lang"/d' "$NAMELESS/tokenizer_config.json"
}

# 50 lines: blank ones, long ones that both models cut, with CRLF, without a last newline, with bytes that are not text.
write_lines() {
    for i in {1..10}; do
        numbered_lines "$i" $((i + i % 4)) | tr '\n' ' '
        echo
        ((i % 5)) || printf '  \n'
        ((i % 3)) || printf 'This ends like that %d.\r\n' "$i"
        ((i % 9)) || { numbered_lines 1 "$i" | tr '\n' ' '; echo; }
        printf 'b\xc3\xa4r \xff %d\n>>deu<< %d\n\xe2\x80\x8b\n' "$i" "$i"
    done
    printf 'The last line.'
}

@test "two models give the output of a pipe of two programs with all threads and rows" {
    setup_models
    write_lines >in
    for options in "-b 1" "-b 3 --max-length 20" "--precision int8 -g"; do
        # shellcheck disable=SC2086
        dragoman -q $options -m "$FIRST" in | dragoman -q $options -m "$SECOND" >expected
        for work in "-j 1" "-j 3 --batch-rows 1" "-j 2 --batch-rows 7"; do
            # shellcheck disable=SC2086
            translate -q $options $work -m "$FIRST" -m "$SECOND" in
            expect_status 0
            expect_err
            cmp out expected
        done
    done
    dragoman -q -b 1 -m "$FIRST" in | dragoman -q -b 1 -m "$SECOND" >expected
    for level in scalar avx2 avx512; do
        DRAGOMAN_CPU=$level dragoman -q -b 1 -m "$FIRST" -m "$SECOND" in | cmp - expected
    done
}

@test "a message about one of two models names it once" {
    setup_models
    dragoman pack --int8 -m "$FIRST" -o packed
    translate -m packed -m "$SECOND" --precision f32 /dev/null
    expect_status 2
    expect_err "dragoman: packed is packed for --precision int8; for f32, use the folder it was packed from"
    translate -m "$SECOND" -m "$SECOND" --vocab - --vocab x /dev/null
    expect_status 2
    expect_err "dragoman: $SECOND: --vocab can only be used with Marian models; this model has its own vocabularies"
}

@test "pivots through three models of several formats" {
    setup_models
    numbered_lines 1 12 >in
    dragoman -q -m "$GOLDEN/argos/translate-en_de.argosmodel" in | dragoman -q -m "$NAMELESS" |
        dragoman -q -m "$GOLDEN/marian_nmt/student/model.npz" >expected
    translate -q -m "$GOLDEN/argos/translate-en_de.argosmodel" -m "$NAMELESS" -m "$GOLDEN/marian_nmt/student/model.npz" in
    expect_status 0
    expect_err
    cmp out expected
}

@test "finds the model that comes with dragoman by its name" {
    need_default_model
    setup_models
    printf 'Where is the train station?\n\nI have two brothers.\n' >in
    DRAGOMAN_MODEL='' dragoman in >pivot
    grep -qi bahnhof pivot
    dragoman -m en-de in | cmp - pivot
    dragoman -m "$SECOND" <pivot >expected
    translate -m en-de -m "$SECOND" --format jsonl in
    expect_status 0
    jq -r '.pivots[0]' out | cmp - pivot
    jq -r '.translations[0].text // ""' out | cmp - expected
}

@test "writes a line before the next one arrives" {
    setup_models
    coproc WORKER { dragoman -j 2 -m "$FIRST" -m "$SECOND"; }
    worker=$WORKER_PID # bash forgets it when the process ends
    for i in 1 2 3; do
        echo "Line $i." >&"${WORKER[1]}"
        IFS= read -r -t "$LIMIT" answer <&"${WORKER[0]}"
        [[ $answer == "$(echo "Line $i." | dragoman -m "$FIRST" | dragoman -m "$SECOND")" ]]
    done
    echo >&"${WORKER[1]}"
    IFS= read -r -t "$LIMIT" answer <&"${WORKER[0]}"
    [[ $answer == "" ]]
    eval "exec ${WORKER[1]}>&-"
    wait "$worker"
}

@test "takes n-best, scores, pieces and prefix from the last model and source pieces from the first" {
    setup_models
    numbered_lines 1 9 >in
    dragoman -b 4 -m "$FIRST" in >pivot
    dragoman -b 4 -n 3 --prefix "The" --format tsv -m "$SECOND" pivot >expected
    translate -b 4 -n 3 --prefix "The" --format tsv -m "$FIRST" -m "$SECOND" in
    expect_status 0
    cmp out expected
    dragoman -b 4 -n 3 --format jsonl -m "$SECOND" pivot | jq -c .translations >expected
    dragoman -b 4 -n 3 --format jsonl -m "$FIRST" -m "$SECOND" in >out
    jq -c .translations out | cmp - expected
    jq -r .source out | cmp - in
    jq -r '.pivots[]' out | cmp - pivot
    dragoman --format jsonl -m "$FIRST" in | jq -c .source_ids | cmp - <(jq -c .source_ids out)
    jq -r --slurpfile vocab "$FIRST/vocab.json" \
        '($vocab[0] | to_entries | map({key: "\(.value)", value: .key}) | from_entries) as $piece
         | .source_ids[:-1] | map($piece["\(.)"]) | join(" ")' out >pieces
    dragoman -b 4 --pieces -m "$SECOND" --format jsonl pivot >/dev/null
    dragoman -b 4 --format jsonl -m "$SECOND" pivot | jq -r '.translations[0] | .tokens - ["</s>"] | join(" ")' >expected
    translate -b 4 --pieces -m "$FIRST" -m "$SECOND" pieces
    expect_status 0
    cmp out expected
}

@test "a blank line has blank pivots and no translation" {
    setup_models
    printf ' \nHello.\n' >in
    translate --format jsonl -m "$FIRST" -m "$SECOND" in
    expect_status 0
    [[ $(head -n 1 out | jq -c '[.pivots, .translations]') == '[[" "],[]]' ]]
    [[ $(dragoman --format jsonl -m "$FIRST" in | jq -c 'has("pivots")' | sort -u) == false ]]
}

@test "keeps an empty intermediate translation empty" {
    setup_models
    # The end token at once: an empty text, which never reaches the second model.
    translate -m "$FIRST" -m "$SECOND" --max-length 1 <<<"Hello."
    expect_status 0
    [[ $(dragoman -m "$FIRST" --max-length 1 <<<"Hello.") == "" ]]
    [[ $(<out) == "" && $(wc -l <out) == 1 ]]
    translate -b 2 -n 2 -m "$FIRST" -m "$SECOND" --max-length 1 <<<"Hello."
    [[ $(wc -l <out) == 2 ]]
}

@test "warns if either model cuts a text into parts" {
    setup_models
    numbered_lines 1 30 | tr '\n' ' ' >in
    translate -m "$FIRST" -m "$SECOND" in
    expect_status 0
    grep -Eq '^dragoman: in:1: the line is too long for the model and was translated in [0-9]+ parts$' err
}

@test "rejects models whose languages do not match" {
    setup_models
    translate -m "$FIRST" -m "$FIRST" </dev/null
    expect_status 2
    expect_err "dragoman: $FIRST translates into de, but $FIRST translates from en"
    translate info -m "$SECOND" -m "$FIRST"
    expect_status 2
    expect_err "dragoman: $SECOND translates into fr, but $FIRST translates from en"
    translate -m "$FIRST" -m "$SECOND" --via fr </dev/null
    expect_status 2
    expect_err "dragoman: $FIRST: translates into de, not into fr"
    translate -m "$FIRST" -m "$SECOND" --via deu --from eng --to fra <<<"Hello."
    expect_status 0
    translate -m "$FIRST" -m "$SECOND" --to de </dev/null
    expect_status 2
    expect_err "dragoman: $SECOND: --to de: this model translates into fr only"
}

@test "takes the pivot language from the neighbouring model or --via" {
    setup_models
    local many=$FILES/many codes=$FILES/codes
    cp -r "$GOLDEN/families/m2m100-relu" "$many"
    sed -i -E 's/"(src|tgt)_lang": *("[a-z]*"|null),?//g' "$many/tokenizer_config.json"
    cp -r "$GOLDEN/marian/mish-languages" "$codes"
    echo "Hello." >in
    dragoman -m "$FIRST" in | dragoman -m "$many" --from de --to fr >expected
    dragoman -m "$FIRST" -m "$many" --to fr in | cmp - expected
    dragoman info -m "$FIRST" -m "$many" --to fr | grep -x "source language: de"
    dragoman -m "$many" --from en --to de in | dragoman -m "$SECOND" >expected
    dragoman -m "$many" -m "$SECOND" --from en in | cmp - expected
    dragoman -m "$many" --from en --to es in | dragoman -m "$many" --from es --to fr >expected
    dragoman -m "$many" -m "$many" --from en --via es --to fr in | cmp - expected
    dragoman -m "$codes" --to nld in | dragoman -m "$NAMELESS" >expected
    dragoman -m "$codes" -m "$NAMELESS" --via nl in | cmp - expected
    translate -m "$many" -m "$many" --from en --to fr in
    expect_status 2
    expect_err "dragoman: the language between $many and $many is unknown; name it with --via"
    translate -m "$FIRST" -m "$many" in
    expect_status 2
    grep -q "^dragoman: $many: no language to translate into: give --to; the model supports " err
    translate -m "$many" -m "$SECOND" --from en --via fr in
    expect_status 2
    expect_err "dragoman: $SECOND: translates from de, not from fr"
    sed -i 's/"source_lang": "en"/"source_lang": "de"/' "$codes/tokenizer_config.json"
    translate -m "$FIRST" -m "$codes" in
    expect_status 2
    grep -q "^dragoman: $codes: no language to translate into: give --to" err
}

@test "uses a shortlist for each model or for one of them" {
    setup_models
    numbered_lines 1 12 >text
    for model in "$FIRST" "$SECOND"; do
        dragoman -m "$model" text >translated
        dragoman shortlist -m "$model" --shortlist-first 5 --shortlist-best 2 -o "list-${model##*/}" text translated
    done
    one=list-${FIRST##*/}
    numbered_lines 1 8 >in
    dragoman --shortlist "$one" -m "$FIRST" in | dragoman --shortlist list-de-fr -m "$SECOND" >expected
    dragoman --shortlist "$one" --shortlist list-de-fr -m "$FIRST" -m "$SECOND" in | cmp - expected
    dragoman -m "$FIRST" in | dragoman --shortlist list-de-fr -m "$SECOND" >expected
    dragoman --shortlist - --shortlist list-de-fr -m "$FIRST" -m "$SECOND" in | cmp - expected
    expect_usage_error "--shortlist: 1 given for 2 models: give it once per model; use - for none" \
        --shortlist "$one" -m "$FIRST" -m "$SECOND"
    expect_usage_error "--vocab: 3 given for 2 models: give it once per model; use - for none" \
        --vocab a --vocab b --vocab c -m "$FIRST" -m "$SECOND"
    expect_usage_error "--via needs several models: give them with -m" --via de
}

@test "info accepts several models, pack and shortlist only one" {
    setup_models
    dragoman info -m "$FIRST" --from en >expected
    echo >>expected
    dragoman info -m "$SECOND" >>expected
    dragoman info -m "$FIRST" -m "$SECOND" | cmp - expected
    expect_usage_error "pack: takes one model, not 2" pack -m "$FIRST" -m "$SECOND" -o packed
    expect_usage_error "shortlist: takes one model, not 2" shortlist -m "$FIRST" -m "$SECOND" -o list a b
    dragoman pack -m "$FIRST" -o first
    dragoman pack -m "$SECOND" -o second
    dragoman info -m first -m second --verify | tail -n 1 | grep -Ex 'checksums: [0-9]+, all correct'
    expect_usage_error "--model can be given at most 8 times" -m 1 -m 2 -m 3 -m 4 -m 5 -m 6 -m 7 -m 8 -m 9
    expect_usage_error "option '--model' needs a value that is not empty" -m "$FIRST" -m ''
}

@test "names a model that cannot be opened" {
    setup_models
    translate -m "$FIRST" -m /no/such/model </dev/null
    expect_status 1
    expect_err "dragoman: /no/such/model: No such file or directory"
    translate -m "$FIRST" -m "$SECOND" --max-length 65 </dev/null
    expect_status 2
    grep -q "\-\-max-length 65 exceeds the model's 64 positions" err
}

@test "20,000 lines need no more memory than 6,000" {
    setup_models
    [[ -x $(command -v python3) ]] || skip "python3 measures it"
    [[ ${TEST_MAKEFLAGS-} != *SANITIZE=thread* ]] || skip "the thread sanitizer records each access"
    # The address sanitizer keeps what has been freed for a while.
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1
    peak() {
        numbered_lines 1 "$1" | cut -d ' ' -f 4 | python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
            "$DRAGOMAN" -q -g --max-length 2 -j 2 --reuse 4 -m "$FIRST" -m "$SECOND"
    }
    few=$(peak 6000) # more lines than the table of recent ones has room for
    many=$(peak 20000)
    ((many < few + 20000)) || { echo "$few KB, then $many KB"; false; }
}

@test "ends at once when the reader closes the pipe" {
    setup_models
    yes "Hello." | { timeout "$LIMIT" "$DRAGOMAN" -m "$FIRST" -m "$SECOND" 2>err || echo $? >status; } | head -n 3 >out || true
    [[ $(<status) == 141 ]]
    [[ $(wc -l <out) == 3 ]]
    expect_err
}

@test "reports a full disk" {
    [[ -e /dev/full ]] || skip "no /dev/full"
    setup_models
    status=0
    echo "Hello." | dragoman -m "$FIRST" -m "$SECOND" 2>err >/dev/full || status=$?
    expect_status 1
    expect_err "dragoman: standard output: No space left on device"
}
