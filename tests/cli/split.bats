#!/usr/bin/env bats
# --split, --no-split, --max-input, and models that ask for splitting
# shellcheck disable=SC2153 # MODEL is helper.bash's

load helper

GOLDEN=$GOLDEN_ROOT

# A copy of the small model that asks for splitting.
asking_model() {
    cp -r "$MODEL" "$1"
    sed -i '0,/{/s//{ "dragoman_split_sentences": true,/' "$1/config.json"
}

# The lines of a file, with the given white space between them.
joined() {
    awk -v gap="$2" '{ printf "%s%s", (NR > 1) ? gap : "", $0 }' "$1"
}

@test "translates sentences one by one and joins them with their white space" {
    numbered_lines 1 20 >sentences
    { joined sentences ' '; echo; printf ' \t'; joined sentences $'  \t'; printf '\xc2\xa0 \r\n\n \n'; joined sentences $'\xe2\x80\x83'; } >in
    dragoman sentences >one
    { joined one ' '; echo; printf ' \t'; joined one $'  \t'; printf '\xc2\xa0 \r\n\n \n'; joined one $'\xe2\x80\x83'; } >expected
    translate --split in
    expect_status 0
    expect_err
    cmp out expected
    for work in "-j 1" "-j 3 --batch-rows 1" "-j 2 --batch-rows 7 --precision f32"; do
        # shellcheck disable=SC2086
        dragoman --split $work in | cmp - expected
    done
}

@test "keeps a line without a sentence end as one sentence" {
    printf 'Mr. Dee is here.\nHello there\n' >in
    dragoman in >expected
    dragoman --split in | cmp - expected
}

@test "does not split without --split" {
    { numbered_lines 1 20 | tr '\n' ' '; echo; numbered_lines 1 5; } >in
    dragoman -q --format jsonl in >expected
    dragoman -q --format jsonl --no-split in | cmp - expected
}

@test "joins the ids, scores and n-best lists of the sentences" {
    numbered_lines 1 3 >sentences
    joined sentences ' ' >in
    dragoman --format jsonl -b 4 -n 3 sentences | jq -s '{ source_ids: map(.source_ids) | add, translations: [range(3) as $i |
        { text: map(.translations[$i].text) | join(" "), ids: map(.translations[$i].ids) | add,
          score: ((map(.translations[$i].score) | add) * 1000 | round) }] }' >expected
    dragoman --format jsonl -b 4 -n 3 --split in | jq '{ source_ids, translations: .translations |
        map({ text, ids, score: (.score * 1000 | round) }) }' | diff - expected
    diff <(dragoman -b 4 -n 3 --split in; echo) <(jq -r '.translations[].text' expected)
    dragoman --format tsv -b 4 -n 3 --split in | cut -f 4 | diff - <(jq -r '.translations[].text' expected)
    dragoman --format marian -b 4 -n 3 --split in | sed 's/^0 ||| \(.*\) ||| F0= .*/\1/' | diff - <(jq -r '.translations[].text' expected)
}

@test "begins the line, not each sentence, with the prefix" {
    numbered_lines 1 3 >sentences
    joined sentences ' ' >in
    { head -n 1 sentences | dragoman --prefix "This is"; tail -n 2 sentences | dragoman; } >one
    dragoman --prefix "This is" --split in | diff - <(joined one ' ')
}

@test "applies the language code of a line to all of its sentences" {
    model=$GOLDEN/marian/mish-languages
    numbered_lines 1 4 >sentences
    code=$(dragoman info -m "$model" | sed -n 's/^target languages: \([^ ]*\).*/\1/p')
    [[ -n $code ]]
    sed "s/^/>>$code<< /" sentences | dragoman -m "$model" >one
    { printf '>>%s<< ' "$code"; joined sentences '  '; echo; } | dragoman -m "$model" --split >out
    diff out <(joined one '  '; echo)
    { printf '  '; joined sentences '  '; echo; } | dragoman -m "$model" --to "$code" --split | diff - <(printf '  '; joined one '  '; echo)
}

@test "applies a language request in words to all sentences" {
    model=$GOLDEN/families/madlad-bf16-bin
    numbered_lines 1 4 >sentences
    code=$(dragoman info -m "$model" | sed -n 's/^target languages: \([^ ]*\).*/\1/p')
    sed "s/^/<2$code> /" sentences | dragoman -m "$model" --max-length 8 >one
    { printf '<2%s> ' "$code"; joined sentences ' '; echo; } | dragoman -m "$model" --max-length 8 --split | diff - <(joined one ' '; echo)
}

@test "splits if the model asks for it, packed or not" {
    asking_model asking
    dragoman pack -m asking -o asking.packed
    { numbered_lines 1 10 | tr '\n' ' '; echo; } >in
    dragoman --split in >expected
    dragoman -q in >whole
    run cmp -s expected whole
    [[ $status == 1 ]]
    for model in asking asking.packed; do
        dragoman -m "$model" in | cmp - expected
        dragoman -q -m "$model" --no-split in | cmp - whole
        dragoman info -m "$model" | grep -qx 'lines: split into sentences'
        dragoman info -m "$model" --no-split >described
        run grep -q '^lines:' described
        [[ $status == 1 ]]
    done
    sed -i 's/"dragoman_split_sentences": true/"dragoman_split_sentences": "yes"/' asking/config.json
    translate -m asking in
    expect_status 1
    expect_err "dragoman: asking/config.json: dragoman_split_sentences must be true or false"
}

@test "splits for models of all formats whose config.json asks for it" {
    for format in transformers ctranslate2 families; do
        folders=("$GOLDEN/$format"/*/config.json)
        rm -rf asking
        cp -r "$(dirname "${folders[0]}")" asking
        sed -i '0,/{/s//{ "dragoman_split_sentences": true,/' asking/config.json
        dragoman info -m asking | grep -qx 'lines: split into sentences'
    done
}

@test "never splits pieces" {
    asking_model asking
    echo '▁This ▁is . ▁This ▁is .' >in
    dragoman --pieces in >expected
    dragoman --pieces -m asking in | cmp - expected
    expect_usage_error "--split and --pieces cannot be used together: only text can be split" --split --pieces
    expect_usage_error "--split and --no-split cannot be used together" --split --no-split
}

@test "several models give the output of a pipe of programs" {
    asking_model asking
    cp -r "$GOLDEN/marian/quick-gelu-untied" second
    sed -i 's/"source_lang": "en"/"source_lang": "de"/; s/"target_lang": "de"/"target_lang": "fr"/' second/tokenizer_config.json
    cp -r second second-asking
    sed -i '0,/{/s//{ "dragoman_split_sentences": true,/' second-asking/config.json
    { numbered_lines 1 5 | tr '\n' ' '; echo; printf '  One. Two.  \r\n\n\tThree.'; } >in
    while read -r first second options; do
        # shellcheck disable=SC2086
        dragoman -q $options -m "$first" in | dragoman -q $options -m "$second" >expected
        # shellcheck disable=SC2086
        dragoman -q -j 2 $options -m "$first" -m "$second" in | cmp - expected
    done <<END
$MODEL second
$MODEL second-asking
asking second
asking second-asking
$MODEL second --split
asking second-asking --no-split
$MODEL second-asking --max-input 20
asking second --max-input 20
END
}

@test "--max-input cuts earlier than the model but never later" {
    numbered_lines 1 30 | tr '\n' ' ' >in
    translate --format jsonl --max-input 20 in
    expect_status 0
    expect_err
    ends=$(jq '.translations[0].ids | map(select(. == 0)) | length' out)
    ((ends > 5))
    dragoman -q --max-input 64 in | cmp - <(dragoman -q in)
    translate --max-input 65 in
    expect_status 2
    expect_err "dragoman: --max-input 65 exceeds the 64 tokens that the model accepts"
    expect_usage_error "--max-input: '15' is not a whole number from 16 to 1000000" --max-input 15
    translate --split --max-input 16 --format jsonl in
    expect_status 0
    jq -r .source out | cmp - <(cat in; echo)
}

@test "cuts a sentence that is too long for the model, with a warning" {
    { echo -n "Short one. "; numbered_lines 1 200 | tr '\n.' ' ,'; echo "end. Short two."; } >in
    translate --split -g in
    expect_status 0
    [[ $(wc -l <out) == 1 ]]
    grep -Exq 'dragoman: in:1: the line is too long for the model and was translated in [0-9]+ parts' err
    [[ $(wc -l <err) == 1 ]]
}

@test "translates all of twenty sentences on a line with the embedded model" {
    need_default_model
    unset DRAGOMAN_MODEL
    cat >sentences <<'END'
I have two brothers.
She has a red car.
Where is the train station?
Dr. Smith lives in London.
We went home at 5 p.m. on Friday.
The weather is nice today.
He works for a big company.
My father is a teacher.
They are playing in the garden.
Can you help me?
I do not know the answer.
This book was written by J. R. R. Tolkien.
The dog is sleeping under the table.
What time is it?
Please close the door!
We have no time.
He bought bread, milk, cheese, etc. at the market.
I would like a cup of coffee.
The children are at school.
Good night!
END
    joined sentences ' ' | dragoman >out
    dragoman sentences >one
    joined one ' ' | cmp - out
    (($(wc -w <out) > 90))
    joined sentences ' ' | dragoman --no-split >whole
    run ! cmp -s out whole
}

@test "texts of documents are split, and lines in the same batch as they would be alone" {
    mkdir files
    printf 'This is one. This is two.\n' >files/lines
    printf '<p>This is one. This is two.</p>\n' >files/page.html
    dragoman files/lines >whole
    dragoman --split files/lines >sentences
    run ! cmp -s whole sentences
    for files in files files/lines; do
        translate -O out_files "$files"
        expect_status 0
        cmp out_files/lines whole
    done
    sed 's/<[^>]*>//g' out_files/page.html | cmp - sentences
    dragoman --no-split --as html files/page.html | sed 's/<[^>]*>//g' | cmp - whole
    rm -r out_files
    for _ in 1 2; do # a memory tells both apart
        translate --memory memory.tsv -O out_files files
        cmp out_files/lines whole
        sed 's/<[^>]*>//g' out_files/page.html | cmp - sentences
    done
    [[ $(grep -c 'This is one' memory.tsv) == 2 ]]
}
