#!/usr/bin/env bats
# --shortlist and dragoman shortlist

load helper

# all_of FILE: a map with every piece of the vocabulary for every sentence.
all_of() {
    jq -r 'to_entries | map(.key | select(test("[\\s]") | not)) | "\t" + join(" ")' "$MODEL/vocab.json" >"$1"
}

# some_of FILE: a map with other pieces for every source piece.
some_of() {
    jq -r 'keys_unsorted | map(select(test("[\\s]") | not)) as $v | ($v | length) as $n
        | range(0; $n) as $i | $v[$i] + "\t" + ([range(1; 12) | $v[($i * 7 + . * 13) % $n]] | join(" "))' \
        "$MODEL/vocab.json" >"$1"
}

lines() {
    local i
    for i in {1..5}; do
        echo "line number $i of a file, and $((i * 37 % 11)) more things to say."
        echo "a"
    done >"$FILES/in"
}

@test "a shortlist of all pieces changes nothing" {
    lines
    all_of all.txt
    for options in "-b 1" "-b 4 -n 4" "-b 4 --prefix one --no-repeat-ngram 2 --repetition-penalty 1.5" \
        "-b 3 --precision int8" "--sample -n 3" "--sample -b 3 -n 3 --top-k 9" "--alternatives 4 -b 2" \
        "--alternatives 4 --sample --prefix one" "--prefix one --prefix-bias 0.3 -b 3" "--suppress s -b 2" \
        "-b 2 --patience 2 -n 4 --coverage-penalty 0.2"; do
        # shellcheck disable=SC2086
        dragoman -q --format tsv $options "$FILES/in" >want
        # shellcheck disable=SC2086
        dragoman -q --format tsv $options --shortlist all.txt "$FILES/in" >got
        cmp want got || { echo "$options"; return 1; }
    done
}

@test "a shortlist gives the same translations with all neighbours, threads and CPU levels" {
    lines
    some_of some.txt
    for precision in f32 bf16 int8; do
        dragoman -q --precision $precision -b 4 -n 4 --format tsv "$FILES/in" >full
        dragoman -q --precision $precision -b 4 -n 4 --format tsv --shortlist some.txt --batch-rows 1 "$FILES/in" >want
        run ! cmp -s full want
        for options in "-j 1" "-j 2" "--batch-rows 7" "-j 3 --batch-rows 64"; do
            # shellcheck disable=SC2086
            dragoman -q --precision $precision -b 4 -n 4 --format tsv --shortlist some.txt $options "$FILES/in" >got
            cmp want got || { echo "$precision $options"; return 1; }
        done
        for level in scalar avx2 avx512; do
            DRAGOMAN_CPU=$level dragoman -q --precision $precision -b 4 -n 4 --format tsv --shortlist some.txt \
                "$FILES/in" >got
            cmp want got || { echo "$precision $level"; return 1; }
        done
    done
}

@test "writes only pieces of the lists, the end token and the prefix" {
    lines
    some_of some.txt
    head -c 2000 some.txt >few.txt
    dragoman --format jsonl -b 4 -n 4 --prefix x --max-length 20 "$FILES/in" | jq -r '.translations[].tokens[]' | sort -u >free
    dragoman --format jsonl -b 4 -n 4 --prefix x --max-length 20 --shortlist few.txt "$FILES/in" |
        jq -r '.translations[].tokens[]' | sort -u >got
    (cut -f2 few.txt | tr ' ' '\n'; printf '%s\n' '</s>' '<unk>' '<s>' x) | sort -u >allowed
    [[ $(comm -12 got allowed | wc -l) -ge 3 ]]
    comm -23 got allowed | grep -v x >outside || true
    diff /dev/null outside
    run ! diff -q free got
}

@test "info names the shortlist of the command line" {
    all_of all.txt
    dragoman info --shortlist all.txt | grep -Fx 'shortlist: all.txt'
    dragoman info >without
    run ! grep '^shortlist:' without
}

@test "rejects a missing shortlist, a wrong line, and options without a shortlist" {
    translate --shortlist missing </dev/null
    expect_status 1
    expect_err "dragoman: missing: No such file or directory"
    printf 'one two\n' >wrong
    translate --shortlist wrong </dev/null
    expect_status 1
    expect_err 'dragoman: wrong: line 1: expected "TARGET SOURCE PROBABILITY"'
    expect_usage_error "--shortlist-first and --shortlist-best need --shortlist FILE" --shortlist-first 5
    expect_usage_error "option '--shortlist' needs a value that is not empty" --shortlist ""
}

# pairs N: words and their made-up translations in other orders, as files source and target.
pairs() {
    awk -v n="$1" 'BEGIN {
        split("one two ten house man sea tree red old new sun day", s); split("sin ets net esuoh nam aes eert der dlo wen nus yad", t)
        for (p = 0; p < n; p++) {
            a = p % 12 + 1; b = (p * 5 + 3) % 12 + 1; c = (p * 7 + 1) % 12 + 1
            print s[a], s[b], s[c] > "source"
            print t[c], t[a], t[b] > "target"
        }
    }'
}

@test "shortlist: learns binary and text files with the same translations" {
    lines
    pairs 300
    gzip -k target
    translate shortlist source target -o learned.bin --shortlist-first 20 --shortlist-best 5
    expect_status 0
    expect_err
    [[ ! -s out ]]
    dragoman shortlist source target.gz -o learned.txt --shortlist-first 20 --shortlist-best 5
    dragoman shortlist source target.gz -o again.bin --shortlist-first 20 --shortlist-best 5
    cmp learned.bin again.bin
    [[ $(od -An -tx8 -N8 --endian=little learned.bin) == " f11a48d5013417f5" ]]
    [[ $(head -1 learned.txt) == $'\t'* ]]
    [[ $(awk -F'\t' 'NR > 1 { print split($2, a, " ") }' learned.txt | sort -n | tail -1) == 5 ]]
    # The map knows neither the source's own pieces nor a multiple of eight: more is allowed by the binary format.
    dragoman -q --shortlist learned.bin --format jsonl "$FILES/in" | jq -r '.translations[].tokens[]' | sort -u >binary
    dragoman -q --shortlist learned.txt --format jsonl "$FILES/in" | jq -r '.translations[].tokens[]' | sort -u >text
    [[ -s binary && -s text ]]
    (cut -f2 learned.txt | tr ' ' '\n'; printf '<s>\n') | sort -u >allowed
    comm -23 text allowed >outside
    diff /dev/null outside
}

@test "shortlist: rejects files of different lengths and missing files, and skips long pairs" {
    pairs 30
    head -20 target >short
    translate shortlist source short -o list.bin
    expect_status 2
    expect_err "dragoman: source: has more lines than short, which has 20"
    translate shortlist short source -o list.bin
    expect_status 2
    expect_err "dragoman: source: has more lines than short, which has 20"
    [[ ! -e list.bin ]]
    translate shortlist source missing -o list.bin
    expect_status 1
    expect_err "dragoman: missing: No such file or directory"
    expect_usage_error "shortlist: needs two files, SOURCE and its translation TARGET" shortlist source -o list.bin
    expect_usage_error "shortlist: needs -o FILE, the file to write" shortlist source target
    expect_usage_error "shortlist: --shortlist cannot be used with this command" shortlist source target -o x --shortlist y
    expect_usage_error "shortlist: --verify cannot be used with this command" shortlist source target -o x --verify
    translate shortlist source target -o missing/list.bin
    expect_status 1
    expect_err "dragoman: missing/list.bin: cannot create the file: No such file or directory"
    : >source
    : >target
    translate shortlist source target -o list.bin
    expect_status 1
    expect_err "dragoman: source, target: there is no pair of lines to learn from"
    [[ ! -e list.bin ]]
}

@test "shortlist: reads one of the texts from standard input" {
    pairs 60
    dragoman shortlist source target -o want.bin
    for way in "source - <target" "- target <source" "- target < <(gzip -c source)"; do
        eval "translate shortlist -o got.bin $way"
        expect_status 0
        expect_err
        cmp want.bin got.bin
        rm got.bin
    done
    head -20 target >short
    status=0
    dragoman shortlist source - -o got.bin <short 2>err || status=$?
    expect_status 2
    expect_err "dragoman: source: has more lines than standard input, which has 20"
    expect_usage_error "shortlist: only one of SOURCE and TARGET can be - (standard input)" shortlist - - -o got.bin
    gzip -c source | head -c 100 >cut.gz
    translate shortlist cut.gz target -o got.bin
    expect_status 1
    grep -q '^dragoman: cut.gz is cut off after line [0-9]*: its gzip data end there; download it again$' err
    [[ ! -e got.bin ]]
}

@test "shortlist: writes to a stream" {
    pairs 60
    dragoman shortlist source target -o want.bin
    echo "first" >log
    dragoman shortlist source target -o /dev/stdout >>log
    cmp log <(echo "first"; cat want.bin)
    mkfifo fifo
    cat fifo >got &
    dragoman shortlist source target -o fifo
    wait $!
    cmp got want.bin
}
