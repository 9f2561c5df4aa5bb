#!/usr/bin/env bats
# terms.bats - translations with terms that the embedded models would not choose: each term replaces a word, or is
# reported, and the rest of the sentence stays a sentence. glossary.bats tests the option.

load helper

# Sentences and their terms, tab, and the translations of these. No word of a term is in another sentence, so that one
# glossary has them all.
english() {
    cat <<'END'
The picture in the book is very old.	picture=Abbildung
We bought a new car last week.	car=Fahrzeug
My brother repaired the bicycle in the garage.	bicycle=Drahtesel
The meeting was cancelled because of the storm.	meeting=Versammlung;storm=Unwetter
The dog slept under the sofa.	sofa=Couch|Kanapee
Turn off the engine before you check the oil.	engine=Triebwerk
The pump must be cleaned every six months.	pump=Förderpumpe
Tighten the screws with a suitable tool.	screws=Bolzen;tool=Schlüssel
The tenant must pay the rent in advance.	tenant=Mietpartei;rent=Mietzins
The wound hurts, and he needs a doctor.	wound=Verletzung;doctor=Mediziner
She speaks with her neighbour each morning.	speaks=plaudert
The old bridge was destroyed in the war.	destroyed=zerbombt
The hard disk is full.	hard disk=Magnetplatte
We visited the town hall and the old market square.	town hall=Ratsgebäude;market square=Marktfläche
The emergency exit must not be blocked.	emergency exit=Fluchtweg
He is a member of the board.	member of the board=Mitglied des Vorstands
Children under six travel free.	children=Kleinkinder
The flight is delayed. Passengers should wait at the gate.	flight=Verbindung;passengers=Reisende
It is raining. Take your umbrella with you!	umbrella=Parapluie
Did you see the accident yesterday?	accident=Zusammenstoß
Can you show me the way to the airport?	airport=Flugplatz
Although the weather was bad and the roads were full of snow, the bus arrived at the station on time.	bus=Omnibus;snow=Neuschnee
The water in the lake is cold.	cold=eisig
This is an important question.	important=bedeutende
The hospital needs more beds.	hospital=Klinikum
The butcher opens at eight.	butcher=Fleischer
The owner of the shop greeted the customers.	owner=Besitzer;customers=Kundschaft
Delete the file from the folder.	folder=Verzeichnis
Your password has expired.	password=Kennwort
The website collects data.	website=Internetauftritt
END
}

german() {
    cat <<'END'
Das Bild hängt an der Wand.	Bild=painting
Das Auto steht vor dem Haus.	Auto=vehicle
Der Arzt kommt morgen.	Arzt=physician
Die Kinder spielen im Garten.	Kinder=kids;Garten=backyard
Das Kennwort muss acht Zeichen haben.	Kennwort=passphrase
Der Bildschirm ist schwarz.	Bildschirm=monitor
Die Datei wurde gelöscht.	gelöscht=erased
Es war ein schöner Tag.	schöner=splendid
Der Notausgang ist gesperrt.	Notausgang=escape door
Wo ist der nächste Bahnhof?	Bahnhof=terminus
Der Film war gut. Wir haben den Film zweimal gesehen.	Film=motion picture
Die Regierung will mehr Straßen bauen.	Regierung=administration;Straßen=highways
END
}

# translate_terms MODEL OPTION...: translates the sentences on standard input with their terms. Writes in, terms.tsv, the
# translations without terms to free, and those with terms to out.jsonl and err.
translate_terms() {
    local model=${DEFAULT_MODEL%/*}/$1.safetensors
    shift
    [[ -e $model ]] || { echo "$model: no such file; 'make' copies it" >&2 && return 1; }
    export DRAGOMAN_MODEL=$model
    cat >sentences
    cut -f 1 sentences >in
    cut -f 2 sentences | tr ';=' '\n\t' >terms.tsv
    dragoman "$@" in >free
    status=0
    dragoman --glossary terms.tsv --format jsonl "$@" in >out.jsonl 2>err || status=$?
    expect_status 0
}

# Fails, and prints the reasons, if a line of out.jsonl is no good translation. A missed term has a warning; if all terms
# are missed, the translation is that without terms. It has as many sentences as that one, and ends with the same mark.
# It has the words that were found for a term once for each term of the source, and no word twice in a row.
expect_sentences() {
    paste <(jq -c . out.jsonl) free | jq -Rr --rawfile err err '
        def marks: [scan("[.!?…]+(?:\\s|$)")] | length;
        def words: [scan("[\\p{L}\\p{N}]+") | ascii_downcase];
        def spaced: "  " + (words | join("  ")) + "  ";
        def count($words): (spaced | split($words | " " + (spaced | .[1:-1]) + " ") | length) - 1;
        split("\t") | .[1] as $free | .[0] | fromjson | .line as $line | .translations[0]
        | .text as $text | .terms as $terms | ($text | words) as $words
        | (if any(.terms[]; .verdict == "missed" and ("in:\($line): \"\(.source)\" is not translated as" as $warning
             | $err | contains($warning) | not)) then "no warning" else empty end),
          (if any(.terms[]; .verdict != "missed") or $text == $free then empty else "changed" end),
          (if ($text | marks) != ($free | marks) then "another number of sentences" else empty end),
          (if $text[-1:] != $free[-1:] then "another end" else empty end),
          (if any(range(1; $words | length); $words[.] == $words[. - 1]) then "a word twice in a row" else empty end),
          ($terms[] | select(.verdict != "missed") | .found as $found
             | ([$terms[] | select(.found == $found)] | length) as $wanted | ($text | count($found)) as $count
             | if $count == 0 or $count > $wanted then "\($count) times \($found)" else empty end)
        | "\($line): \($text): \(.)"' >faults
    diff -u /dev/null faults
}

# verdicts VERDICT: how many terms of out.jsonl have it.
verdicts() {
    jq -r '.translations[0].terms[].verdict' out.jsonl | grep -cx "$1"
}

@test "terms replace words of English sentences" {
    english | translate_terms en-de
    expect_sentences
    (($(verdicts missed) * 10 <= $(verdicts '.*')))
}

@test "terms replace words of German sentences" {
    german | translate_terms de-en
    expect_sentences
    (($(verdicts missed) * 5 <= $(verdicts '.*')))
}

@test "terms replace words in greedy search" {
    english | translate_terms en-de --beam 1
    expect_sentences
    (($(verdicts missed) * 5 <= $(verdicts '.*')))
}

@test "a text that is a term becomes its translation" {
    printf '%s\n' picture Picture 'Hard disks' '- picture' '(picture)' 'Picture:' 'PICTURE' >in
    printf 'picture\tAbbildung\nhard disks\tMagnetplatten\n' >terms.tsv
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv in
    expect_err
    printf '%s\n' Abbildung Abbildung Magnetplatten '- Abbildung' '(Abbildung)' 'Abbildung:' 'ABBILDUNG' | diff -u - out
}

@test "terms leave other sentences and lines as they are" {
    printf '%s\n' 'We bought a new bed. The picture in the book is very old. It is raining today.' 'It is raining today.' >in
    printf 'picture\tAbbildung\n' >terms.tsv
    dragoman -m "$DEFAULT_MODEL" in >free
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv in
    expect_err
    [[ $(sed -n 2p out) == "$(sed -n 2p free)" && $(sed -n 1p out) == *Abbildung* ]]
    [[ $(sed -n 1p out) == "$(dragoman -m "$DEFAULT_MODEL" <<<'We bought a new bed.') "*" $(sed -n 2p free)" ]]
}

@test "a term that cannot be met takes no other term with it" {
    echo 'The picture in the book is very old.' >in
    printf 'picture\tAbbildung\nold\t図\n' >terms.tsv
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv in
    grep -qw Abbildung out
    expect_err 'dragoman: in:1: "old" is not translated as "図"'
}

@test "the number of threads and of rows does not change terms" {
    local options
    export DRAGOMAN_MODEL=$DEFAULT_MODEL
    english | translate_terms en-de -j 1
    for options in '-j 2' '-j 2 --batch-rows 7' '-j 2 --no-reuse --batch-rows 1'; do
        # shellcheck disable=SC2086 # options
        dragoman $options --glossary terms.tsv --format jsonl in 2>/dev/null | cmp - out.jsonl
    done
}

@test "terms in quotation marks, in capitals and in markup" {
    printf 'picture\tAbbildung\ncar\tFahrzeug\nhard disk\tMagnetplatte\n' >terms.tsv
    printf '%s\n' '"The car is old," he said.' 'THE PICTURE IN THE BOOK IS VERY OLD.' >in
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv in
    expect_err
    sed -n 1p out | grep -qw Fahrzeug
    sed -n 2p out | grep -qw ABBILDUNG
    run ! grep -q '[a-z]' <(sed -n 2p out)
    echo '<p>My <b>hard disk</b> is full.</p><p>My <i>hard</i> disk is full.</p>' >in.html
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv in.html
    expect_err
    [[ $(grep -o 'Magnetplatte' out | wc -l) == 2 ]]
    grep -q '<b>Magnetplatte</b>' out
}

@test "a term takes no bracket with it and adds no sentence" {
    printf 'printer\tDrucker\n' >terms.tsv
    printf '%s\n' '[Printer] is missing' 'Press "Printer" to go on.' >in
    dragoman -m "$DEFAULT_MODEL" in >free
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv in
    diff <(grep -o '[].[]' free) <(grep -o '[].[]' out)
    # The brackets of the term itself do not count.
    printf 'car\tFahrzeug (alt)\n' >terms.tsv
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv <<<'We bought a new car last week.'
    expect_err
    grep -qF 'Fahrzeug (alt)' out
}

@test "a text that consists of terms is spelled with its marks" {
    printf 'house\tGebäude\n' >terms.tsv
    printf '%s\n' 'house' '- house ★' '😀 house' '{} house' 'house🏠house' 'house ★ house, "house"' >in
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv --keep '\{\}' in
    expect_err
    printf '%s\n' 'Gebäude' '- Gebäude ★' '😀 Gebäude' '{} Gebäude' 'Gebäude🏠Gebäude' 'Gebäude ★ Gebäude, "Gebäude"' | diff - out
    # These forms are too long for the model.
    printf 'ta\t%s\ntb\t%s\n' "$(printf 'Wort %.0s' {1..99})" "$(printf 'Satz %.0s' {1..99})" >long.tsv
    printf '%s\n' 'Hello.' 'ta, tb, ta, tb, ta, tb' 'Good morning.' >in
    translate -q -m "$DEFAULT_MODEL" --glossary long.tsv in
    [[ $(wc -l <out) == 3 && $(tail -n 1 out) == 'Guten Morgen.' ]]
}

@test "terms do not write what must not be written" {
    printf 'house\tGebäude\n' >terms.tsv
    printf '%s\n' 'house' 'The letter was sent to the house.' >in
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv --suppress Quatsch in
    expect_err
    [[ $(grep -cw Gebäude out) == 2 ]]
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv --suppress Gebäude in
    run ! grep -q Gebäude out
    [[ $(wc -l <err) == 2 ]]
}

@test "a placeholder stays beside a term" {
    printf 'file\tAkte\n' >terms.tsv
    echo 'The %s file is full.' >in
    translate -m "$DEFAULT_MODEL" --glossary terms.tsv in
    grep -q '%s' out
    grep -qw Akte out
}

@test "a term that the model spells with bytes does not leave a part of them" {
    translate -m "$DEFAULT_MODEL" --term $'☎\tTelefon' -e 'Call my ☎️ now.'
    run ! grep -q $'\uFFFD' out
    grep -q Telefon out
}
