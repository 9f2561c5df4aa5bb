#!/usr/bin/env bats
# glossary.bats - terms that have to be translated as --glossary says. How they are found is tested by
# tests/unit/test_glossary.c.

load helper
load models_on_disk

use_english() {
    need_default_model
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
}

# A text, and a glossary with a word of its translation and a word that the model cannot write.
prepare() {
    printf 'This is line one.\n\nThis is line two.\n' >in
    word=$(dragoman in | head -n 1 | grep -oE '[[:alpha:]]{3,}' | head -n 1)
    [[ -n $word ]]
    printf '# terms\nLine\t%s\nis\t翻译|訳文\n' "$word" >terms.tsv
}

@test "a warning names the line and the term that is not translated so" {
    prepare
    translate --glossary terms.tsv in
    expect_status 0
    grep -qxF 'dragoman: in:1: "is" is not translated as "翻译" or "訳文"' err
    grep -qxF 'dragoman: in:3: "is" is not translated as "翻译" or "訳文"' err
    [[ $(wc -l <out) == 3 && $(sed -n 2p out) == '' ]]
    sed -n 1p out | grep -qF "$word"
    translate -q --glossary terms.tsv in
    expect_err
}

@test "--term gives lines of a glossary, before those of files" {
    use_english
    printf 'house\tBude\ntree\tBusch\n' >terms.tsv
    printf 'The house is red.\nThe tree is green.\n' >in
    translate --term $'house\tGebäude' --term $'dog\tHund' --glossary terms.tsv in
    expect_status 0
    grep -qF Gebäude out
    grep -qF Busch out
    translate --term house in
    expect_status 2
    expect_err "dragoman: --term:1: $(dragoman --glossary <(echo house) in 2>&1 | sed 's/^[^ ]* [^ ]* //')"
}

@test "translations contain the terms, in lines and documents" {
    use_english
    printf 'hard disk\tSpeicherplatte\ntable\tPult|Schreibtisch\n' >terms.tsv
    printf 'My hard disk is full.\nThe cat is on the table. The hard disk is not.\n' >in
    [[ $(dragoman in | grep -cE 'Speicherplatte|Pult|Schreibtisch') == 0 ]]
    translate --glossary terms.tsv in
    expect_status 0
    expect_err
    [[ $(grep -c Speicherplatte out) == 2 && $(sed -n 2p out | grep -cwE 'Pult|Schreibtisch') == 1 ]]
    [[ $(sed -n 1p in | dragoman --glossary terms.tsv) == "$(sed -n 1p out)" ]]
    printf '<p>My <b>hard</b> disk is full.</p>\n' >in.html
    translate --glossary terms.tsv -o out.html in.html
    expect_err
    sed 's/<[^>]*>//g' out.html | grep -qw Speicherplatte
    translate --glossary terms.tsv --keep full --format jsonl in
    [[ $(jq -c '[.translations[].terms[].found]' out) == $'["Speicherplatte"]\n'* ]]
    head -n 1 out | jq -r '.translations[0].text' | grep -qw full
}

@test "a term that the tokenizer changes is left out and reported" {
    use_english
    printf 'square metres\tm²\nOpen\tÖffnen…\n' >terms.tsv
    printf 'The flat has 50 square metres.\nClick Open now.\n' >in
    translate --glossary terms.tsv in
    expect_status 0
    expect_err 'dragoman: in:1: "square metres" is not translated as "m²"' \
        'dragoman: in:2: "Open" is not translated as "Öffnen…"'
    dragoman in | cmp - out
}

@test "terms in NFD or with other spaces come out as the tokenizer spells them" {
    use_english
    printf 'books\tBu\u0308cher\nfor example\tz.\u00a0B.\n' >terms.tsv
    printf 'My books are here.\nI like animals, for example dogs.\n' >in
    translate --glossary terms.tsv in
    expect_status 0
    expect_err
    [[ $(sed -n 1p out) == *Bücher* && $(sed -n 2p out) == *'z. B.'* ]]
    translate -q --must 'Nr.  5' in
    expect_err
    [[ $(grep -c 'Nr\. 5' out) == 2 ]]
}

@test "a kept text in NFD or with other spaces is not added once more" {
    use_english
    printf 'The cafe\u0301 is open.\n' >in
    translate --keep 'caf\S+' --must café in
    expect_err
    [[ $(<out) == *cafe$'\u0301'* && $(grep -io caf out) == caf ]]
    printf 'The price is 10\u00a0%% of it.\n' >in
    translate --keep '10\s%' --must '10 %' in
    expect_err
    [[ $(grep -o 10 out) == 10 ]]
}

@test "-v counts the terms" {
    prepare
    sed -i 2,3d in
    translate -v --glossary terms.tsv in
    grep -qxF 'dragoman: terms: 2 found, 1 translated as the glossary says' err
    translate -v in
    [[ $(grep -c terms err) == 0 ]]
}

@test "jsonl lists the terms of each translation" {
    prepare
    translate -q --format jsonl --glossary terms.tsv in
    expect_status 0
    [[ $(jq -c '.translations[0].terms' out | head -n 1) == \
        "[{\"source\":\"is\",\"expected\":[\"翻译\",\"訳文\"],\"found\":null,\"verdict\":\"missed\"},{\"source\":\"line\",\"expected\":[\"$word\"],\"found\":\"$word\",\"verdict\":\"met\"}]" ]]
    sed -n 2p out | grep -qF '"translations":[]'
}

@test "an inflected form of a translation counts, unless --glossary-match is exact" {
    use_english
    printf 'report\tBericht\n' >terms.tsv
    printf 'The reports are old.\tDie Berichte sind alt.\nA report.\tEine Berichtsnummer.\n' >m.tsv
    cut -f 1 m.tsv >in
    translate -v --glossary terms.tsv --memory m.tsv in
    ! grep libstemmer err || skip "libstemmer is not installed"
    grep 'report' err >lines
    diff - lines <<<'dragoman: in:2: "report" is not translated as "Bericht"'
    grep -qxF 'dragoman: terms: 2 found, 1 translated as the glossary says (1 in an inflected form, 0 put in place of other words)' err
    translate --glossary terms.tsv --glossary-match exact --memory m.tsv in
    expect_err 'dragoman: in:1: "reports" is not translated as "Bericht"' \
        'dragoman: in:2: "report" is not translated as "Bericht"'
    translate --glossary terms.tsv --glossary-match other in
    expect_status 2
}

@test "a word near a term selects its translation" {
    use_english
    printf 'report\tmelden|meldet\nreport\tBericht\t+write +author of\tfor nouns\n' >terms.tsv
    printf 'I write a report.\nThe author of this report\nThey report it.\n' >in
    translate -q --format jsonl --glossary terms.tsv in
    [[ $(jq -c '.translations[0].terms | map(.expected)' out) == $'[["Bericht"]]\n[["Bericht"]]\n[["melden","meldet"]]' ]]
}

@test "many lines with such terms are counted" {
    numbered_lines 1 40 >in
    printf 'line\t翻译\n' >terms.tsv
    translate --glossary terms.tsv in
    grep -qE '^dragoman: [0-9]+ more lines with terms that are not translated as the glossary says$' err
    [[ $(grep -c 'is not translated as' err) -lt 40 ]]
}

@test "a term in an address, a name of a file or a placeholder is not translated" {
    use_english
    printf '%s\t%s\n' invoice Faktura house Villa user Anwender file Dokument count Anzahl >terms.tsv
    printf '%s\n' 'Send it to invoice@example.com.' 'Visit www.house.com today.' 'Open C:\user\file.txt in the editor.' \
        'You have {count} files.' >in
    dragoman in >free
    head -n 3 free | grep -o 'invoice@example.com\|www.house.com\|C:\\user\\file.txt' | wc -l | grep -qx 3
    translate --format jsonl --glossary terms.tsv --glossary-match exact <(head -n 3 in)
    expect_err
    [[ $(jq -c '.translations[0].terms' out | sort -u) == '[]' ]]
    jq -r '.translations[0].text' out | cmp - <(head -n 3 free)
    translate --glossary terms.tsv in
    tail -n 1 out | grep -qF '{count}'
    # The term beside the address counts.
    translate -v --glossary terms.tsv <<<'Send the invoice to invoice@example.com.'
    grep -qxE 'dragoman: terms: 1 found, 1 translated .*' err
    grep -qE 'Faktura .*invoice@example\.com' out
    # Nor does it count in a translation from a memory.
    paste in free >m.tsv
    translate --glossary terms.tsv --memory m.tsv <(head -n 1 in)
    expect_err
    # A term that is such a text is translated.
    translate --term $'☎\tTelefon' <<<'Call us ☎ now.'
    expect_err
    grep -qw Telefon out
}

@test "without a term, translations are as they are without a glossary" {
    numbered_lines 1 15 >in
    dragoman in >plain
    printf 'nothing\tx\n' >terms.tsv
    dragoman --glossary terms.tsv in | cmp - plain
    dragoman --glossary terms.tsv --format jsonl in >rows
    [[ $(grep -c '"terms":\[\]' rows) == 15 ]]
    dragoman --format jsonl in >rows
    [[ $(grep -c '"terms"' rows) == 0 ]]
    : >terms.tsv
    dragoman --glossary terms.tsv in | cmp - plain
}

@test "translations with terms do not depend on threads and neighbours" {
    prepare
    numbered_lines 1 25 >in
    dragoman -q --glossary terms.tsv -j 1 in >one
    dragoman -q --glossary terms.tsv -j 4 --batch 7 in | cmp - one
    sed -n 7p in | dragoman -q --glossary terms.tsv | cmp - <(sed -n 7p one)
}

@test "documents and batches have terms, but not in what they keep" {
    prepare
    printf '<p>This <b>is</b> one.</p>\n<p><code>is</code> two.</p>\n' >a.html
    translate --glossary terms.tsv -o out.html a.html
    expect_status 0
    expect_err 'dragoman: a.html:1: "is" is not translated as "翻译" or "訳文"'
    cp in b.txt
    translate -v --glossary terms.tsv -O all a.html b.txt
    expect_status 0
    grep -qF 'dragoman: a.html:1: "is"' err
    grep -qF 'dragoman: b.txt:3: "is"' err
    grep -qE '^dragoman: terms: 5 found' err
    cmp all/a.html out.html
    printf 'This is X.\n' >in
    translate --glossary terms.tsv --keep 'is X' in
    expect_err
}

@test "the first glossary that has a term decides" {
    prepare
    printf 'Line\t訳文\nthis\t文\n' >more.tsv
    translate --glossary terms.tsv --glossary more.tsv in
    grep -qF 'in:1: "This" is not translated as "文"' err
    [[ $(grep -c 'in:1: "line"' err) == 0 ]]
    translate --glossary more.tsv --glossary terms.tsv in
    grep -qF 'in:1: "line" is not translated as "訳文"' err
}

@test "compressed glossaries and standard input as a file are read" {
    prepare
    dragoman --glossary terms.tsv in >out 2>expected
    gzip -k terms.tsv
    zstd -q terms.tsv
    for file in terms.tsv.gz terms.tsv.zst; do
        dragoman --glossary "$file" in 2>err | cmp - out
        cmp err expected
    done
    dragoman --glossary <(cat terms.tsv) in 2>err | cmp - out
    cmp err expected
}

@test "TBX gives the terms of the languages of the model" {
    need_default_model
    cat >terms.tbx <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<martif type="TBX" xml:lang="en"><text><body><termEntry>
<langSet xml:lang="en"><tig><term>printer</term></tig></langSet>
<langSet xml:lang="fr"><tig><term>imprimante</term></tig></langSet>
<langSet xml:lang="de"><tig><term>Drucker</term></tig><tig><term>翻译</term>
<termNote type="administrativeStatus">supersededTerm-admn-sts</termNote></tig></langSet>
</termEntry></body></text></martif>
END
    echo 'The printer, the imprimante.' >in
    dragoman -m "$DEFAULT_MODEL" -q --format jsonl --glossary terms.tbx in >out
    [[ $(jq -c '.translations[0].terms | map([.source, .expected])' out) == '[["printer",["Drucker"]]]' ]]
}

@test "stems of the language of the model count" {
    need_default_model
    printf 'printer\tDrucker\n' >terms.tsv
    echo 'The printers.' >in
    translate -m "$DEFAULT_MODEL" --format jsonl --glossary terms.tsv in
    ! grep libstemmer err || skip "libstemmer is not installed"
    [[ $(jq -c '.translations[0].terms | map(.source)' out) == '["printers"]' ]]
}

@test "--from by any name gives the stems and abbreviations of a model that does not know its source language" {
    local model=$GOLDEN_ROOT/families/small100-relu from
    printf 'printer\ter\n' >terms.tsv
    echo 'The printers in the office are new.' >in
    echo 'Das ist Hon. Meier hier.' >german
    dragoman -q -m "$model" --to de --max-length 12 --glossary terms.tsv in >unknown
    dragoman -m "$model" --from de --to en --max-length 3 --split german >sentences
    [[ $(dragoman -m "$model" --to en --max-length 3 --split german) != "$(<sentences)" ]]
    for from in deu German de-AT '>>deu<<'; do
        dragoman -m "$model" --from "$from" --to en --max-length 3 --split german | cmp - sentences
    done
    translate -m "$model" --from en --to de --max-length 12 --glossary terms.tsv in
    ! grep libstemmer err || skip "libstemmer is not installed"
    run ! cmp -s out unknown
    for from in EN English en_GB; do
        dragoman -m "$model" --from "$from" --to de --max-length 12 --glossary terms.tsv in | cmp - out
    done
}

@test "without libstemmer a warning says so, and terms are found as they are spelled" {
    mkdir lib
    for name in so.0d so.0 so.3 so; do echo nonsense >lib/libstemmer.$name; done
    printf 'printer\t訳文\n' >terms.tsv
    printf 'printer\nprinters\n' >in
    export LD_LIBRARY_PATH=$PWD/lib
    translate --glossary terms.tsv in
    unset LD_LIBRARY_PATH
    expect_status 0
    if ! grep -q libstemmer err; then skip "LD_LIBRARY_PATH does not choose libraries"; fi
    [[ $(head -n 1 err) == "dragoman: warning: terms are found only in the forms that the glossary has, because libstemmer is missing; install libstemmer0d (Debian, Ubuntu) or libstemmer (Fedora), or run scripts/install-deps" ]]
    [[ $(tail -n +2 err) == 'dragoman: in:1: "printer" is not translated as "訳文"' ]]
}

@test "a glossary is never overwritten" {
    prepare
    cp terms.tsv before
    translate --glossary terms.tsv -o terms.tsv in
    expect_status 2
    expect_err "dragoman: terms.tsv is the file of --glossary; write to another file"
    mkdir all
    cp terms.tsv all/in
    translate --glossary all/in -O all in
    expect_status 2
    translate --keep-file terms.tsv -o terms.tsv in
    expect_status 2
    cmp terms.tsv before
    cmp all/in before
}

@test "with several models, the last one writes the terms of the source" {
    need_default_model
    printf 'Das Haus ist sehr klein.\nIch sehe eine Katze. Das Haus ist alt.\n' >in
    printf 'Haus\tPalast\n' >terms.tsv
    models=(-m "${DEFAULT_MODEL%/*}/de-en.safetensors" -m "$DEFAULT_MODEL")
    run -0 dragoman -q "${models[@]}" in
    [[ $output != *Palast* ]]
    translate "${models[@]}" --glossary terms.tsv --format jsonl in
    expect_status 0
    expect_err
    [[ $(jq -c '.translations[0].terms | map([.source, .found])' out) == $'[["Haus","Palast"]]\n[["Haus","Palast"]]' ]]
    jq -r '.translations[0].text' out | sed -n 2p | grep -q 'Katze\. .*Palast'
    jq -r '.pivots[0]' out | sed -n 1p | grep -qi house
    translate "${models[@]}" --must Palast in
    expect_err
    [[ $(grep -c Palast out) == 2 ]]
}

@test "wrong files are refused" {
    printf 'a\tb\nc\n' >terms.tsv
    translate --glossary terms.tsv /dev/null
    expect_status 1
    expect_err 'dragoman: terms.tsv:2: expected a term, a tab and its translation, but there is no tab'
    [[ ! -s out ]]
    translate --glossary missing.tsv /dev/null
    expect_status 1
    expect_err 'dragoman: missing.tsv: No such file or directory'
    echo 'This is line one.' >in.txt
    translate -O all --glossary terms.tsv in.txt
    expect_status 1
    expect_err 'dragoman: terms.tsv:2: expected a term, a tab and its translation, but there is no tab'
    [[ ! -e all/in.txt ]]
}
