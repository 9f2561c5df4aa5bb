#!/usr/bin/env bats
# Models in Marian's own files. scripts/reference/make_marian_nmt_goldens.py computed the expected output.
# shellcheck disable=SC2153 # MODEL is helper.bash's

load helper

MODELS=$GOLDEN_ROOT/marian_nmt

# compare_nbest EXPECTED FOUND: ranks and texts are equal, scores to 2e-4
compare_nbest() {
    paste "$1" "$2" | awk -F'\t' '
        { d = $3 - $7; if (d < 0) d = -d }
        $1 != $5 || $2 != $6 || $4 != $8 || d > 2e-4 { print "differs: " $0; bad = 1 }
        END { exit bad || NR == 0 }'
}

@test "gives Marian's greedy translations for all norm positions, highways, tied layers and embeddings, depths, SSRU and AAN" {
    for model in "$MODELS"/*/; do
        dragoman -m "$model" -g --length-penalty 0 --word-penalty 0 --max-length-factor 3 <"$model/source.txt" >>out
        cat "$model/expected.greedy.txt" >>expected
    done
    cmp out expected
}

@test "settings for repetitions do not change translations without repetitions" {
    for model in no_positions average_pre; do
        dragoman -m "$MODELS/$model" -b 1 <"$MODELS/$model/source.txt" >plain
        for option in --no-repeat-ngram=1 --repetition-penalty=5; do
            dragoman -m "$MODELS/$model" -b 1 "$option" <"$MODELS/$model/source.txt" >out
            paste plain out | awk -F '\t' '
                { split("", seen); repeats = 0
                  for (i = split($1, words, " "); i > 0; i--) repeats += seen[words[i]]++
                  if (!repeats) { count++; bad += $1 != $2 } }
                END { exit bad || count != 2 }'
        done
    done
}

@test "applies decoder.yml and gives Marian's n-best lists and scores" {
    for model in "$MODELS"/*/; do
        dragoman -m "$model" -n 4 --format tsv <"$model/source.txt" >>out
        cat "$model/expected.nbest.tsv" >>expected
    done
    compare_nbest expected out
}

@test "--format marian writes the n-best list of marian-decoder, also for blank lines" {
    dragoman -m "$MODELS/post" -n 4 --format marian <"$MODELS/post/source.txt" >out
    paste "$MODELS/post/expected.nbest.txt" out | awk -F'\t' '
        function apart(a, b) { sub("F0= ", "", a); sub("F0= ", "", b); return a - b > 3e-4 || b - a > 3e-4 }
        { split($1, a, " [|][|][|] "); n = split($2, b, " [|][|][|] ") }
        n != 4 || a[1] != b[1] || a[2] != b[2] || b[3] !~ /^F0= -/ || apart(a[3], b[3]) || apart(a[4], b[4]) {
            print "differs: " $0; bad = 1 }
        END { exit bad || NR != 32 }'
    printf 'w5\n\nw7' >in
    dragoman -m "$MODELS/post" -n 2 --format marian in >out
    [[ $(cut -d ' ' -f 1 out | tr '\n' ' ') == "0 0 1 1 2 2 " ]]
    [[ $(sed -n 3p out) == "1 |||  ||| F0= 0 ||| 0" ]]
}

@test "--word-scores writes the log-probability of each token, end token included" {
    model=$MODELS/post
    dragoman -m "$model" -n 4 --format jsonl --token-scores <"$model/source.txt" |
        jq -r '.translations[] | .text + " ||| WordScores= " + (.token_scores | map(tostring) | join(" "))' >expected
    dragoman -m "$model" -n 4 --word-scores <"$model/source.txt" >out
    paste expected out | awk -F'\t' '
        { n = split($1, a, " "); m = split($2, b, " "); if (n != m || n < 3) { print "differs: " $0; bad = 1 }
          for (i = 1; i <= n; i++)
              if (a[i] != b[i] && (b[i] !~ /^-?[0-9]+[.][0-9][0-9][0-9][0-9][0-9]$/ || a[i] - b[i] > 1e-4 || b[i] - a[i] > 1e-4)) {
                  print "differs: " $0; bad = 1 } }
        END { exit bad || NR != 32 }'
    dragoman -m "$model" -n 4 --word-scores --format marian <"$model/source.txt" >lists
    [[ $(wc -l <lists) == 32 ]]
    # The scores add up to F0.
    awk -F' [|][|][|] ' '{ n = split($3, a, " "); sum = 0; for (i = 2; i <= n; i++) sum += a[i]
        sub("F0= ", "", $4); if (NF != 5 || a[1] != "WordScores=" || sum - $4 > 1e-3 || $4 - sum > 1e-3) bad = 1 }
        END { exit bad }' lists
    dragoman -m "$model" --word-scores --alignment hard <"$model/source.txt" >out
    [[ $(grep -cE ' [|]{3} [0-9 -]+ [|]{3} WordScores=( -?[0-9]+[.][0-9]{5})+$' out) == $(wc -l <out) ]]
    [[ $(echo | dragoman -m "$model" --word-scores) == " ||| WordScores=" ]]
    for format in tsv jsonl; do
        expect_usage_error "--word-scores cannot be used with --format $format; use --token-scores" --word-scores --format $format
    done
}

@test "model.npz with --vocab is the same model as its folder" {
    cp "$MODELS/student/model.npz" "$MODELS/student/decoder.yml" .
    sed 's/: .*//; s/"//g' "$MODELS/student/vocab.yml" >words.txt
    dragoman -m model.npz --vocab words.txt -n 4 --format tsv <"$MODELS/student/source.txt" >out
    compare_nbest "$MODELS/student/expected.nbest.tsv" out
    dragoman -m model.npz --vocab "words.txt,$MODELS/student/vocab.yml" <"$MODELS/student/source.txt" >two
    dragoman -m "$MODELS/student" <"$MODELS/student/source.txt" >one
    cmp one two
}

@test "int8 scales do not depend on neighbours, threads, CPU levels or packing" {
    for name in student_shared self_shared self_alphas; do
        for _ in 1 2; do cat "$MODELS/$name/source.txt"; done >lines
        dragoman -m "$MODELS/$name" -n 4 -j 1 --batch-rows 1 --format tsv <lines >one
        dragoman -m "$MODELS/$name" -n 4 -j 2 --batch-rows 64 --format tsv <lines >many
        cmp one many
        DRAGOMAN_CPU=scalar dragoman -m "$MODELS/$name" -n 4 --format tsv <lines >low
        cmp one low
        dragoman pack -m "$MODELS/$name" -o packed.dragoman
        dragoman -m packed.dragoman -n 4 --format tsv <lines >packed
        cmp one packed
        rm packed.dragoman
    done
}

@test "SSRU, AAN and highways do not depend on neighbours, threads or the CPU level" {
    for name in student average_pre rms; do
        dragoman -m "$MODELS/$name" -j 1 --batch-rows 1 --format tsv <"$MODELS/$name/source.txt" >one
        dragoman -m "$MODELS/$name" -j 2 --batch-rows 64 --format tsv <"$MODELS/$name/source.txt" >many
        cmp one many
        DRAGOMAN_CPU=scalar dragoman -m "$MODELS/$name" --format tsv <"$MODELS/$name/source.txt" >slow
        cmp one slow
    done
}

@test "writes the unknown token only with --allow-unk" {
    # A frequent word becomes the unknown one.
    read -r word _ <"$MODELS/pre/expected.greedy.txt"
    sed "s/^\"<unk>\": 1/\"<unk>\": ${word#w}/; s/^\"$word\": .*/\"$word\": 1/" "$MODELS/pre/vocab.yml" >vocab.yml
    dragoman -m "$MODELS/pre" -g --vocab "$MODELS/pre/vocab.yml,vocab.yml" <"$MODELS/pre/source.txt" >without
    dragoman -m "$MODELS/pre" -g --vocab "$MODELS/pre/vocab.yml,vocab.yml" --allow-unk <"$MODELS/pre/source.txt" >with
    run ! grep -q '<unk>' without
    grep -q '<unk>' with
}

@test "uses the shortlist of decoder.yml, and shifted int8 matmul gives the same translations" {
    cp -r "$MODELS/student_8bit" model
    for word in w80 w85 w20; do printf '\t%s\n' "$word"; done >model/vmap.txt
    printf 'shortlist:\n  - vmap.txt\n  - false\n' >>model/decoder.yml
    dragoman -m model <model/source.txt >listed
    dragoman -m "$MODELS/student_8bit" --shortlist model/vmap.txt <model/source.txt >asked
    dragoman -m "$MODELS/student_8bit" <model/source.txt >whole
    cmp listed asked
    run ! cmp -s listed whole
    rm model/vmap.txt
    echo 'gemm-precision: int8shiftAlphaAll' >>model/decoder.yml
    dragoman -m model -g --length-penalty 0 --word-penalty 0 --max-length-factor 3 <model/source.txt >out
    cmp out model/expected.greedy.txt
    dragoman -m model --format tsv <model/source.txt >shifted
    dragoman -m "$MODELS/student_8bit" --format tsv <model/source.txt >plain
    run ! cmp -s shifted plain # the last digits of scores
}

@test "reads a Firefox folder with compressed files and an unnamed shortlist and searches as Firefox does" {
    mkdir model
    gzip -c "$MODELS/student_8bit/model.bin" >model/model.xxyy.intgemm.alphas.bin.gz
    cp "$MODELS/student_8bit/vocab.yml" model
    dragoman -m model <"$MODELS/student_8bit/source.txt" >out
    printf '%s\n' 'beam-size: 1' 'normalize: 1.0' 'word-penalty: 0' 'max-length-factor: 2.0' \
        'gemm-precision: int8shiftAlphaAll' >model/config.intgemm8bitalpha.yml
    dragoman -m model <"$MODELS/student_8bit/source.txt" | cmp out -
    echo 'gemm-precision: int8Alpha' >model/config.intgemm8bitalpha.yml
    dragoman -m model -b 4 -n 4 --length-penalty 0.6 --word-penalty 0.3 --max-length-factor 2 --format tsv \
        <"$MODELS/student_8bit/source.txt" >out
    compare_nbest "$MODELS/student_8bit/expected.nbest.tsv" out
    rm model/config.intgemm8bitalpha.yml
    dragoman -m model/model.xxyy.intgemm.alphas.bin.gz --vocab model/vocab.yml <"$MODELS/student_8bit/source.txt" >file
    dragoman -m model <"$MODELS/student_8bit/source.txt" >folder
    cmp file folder
    rm model/model.xxyy.intgemm.alphas.bin.gz
    zstd -q "$MODELS/student_8bit/model.bin" -o model/model.xxyy.intgemm.alphas.bin.zst
    dragoman -m model <"$MODELS/student_8bit/source.txt" | cmp folder -
    rm model/model.xxyy.intgemm.alphas.bin.zst
    gzip -c "$MODELS/student_8bit/model.bin" | head -c 9000 >model/model.xxyy.intgemm.alphas.bin.gz
    translate -m model
    [[ $(<err) == "dragoman: model/model.xxyy.intgemm.alphas.bin.gz is cut off: "* ]]
    head -c 18000000 /dev/zero | gzip >model/model.xxyy.intgemm.alphas.bin.gz
    translate -m model
    [[ $(<err) == "dragoman: model/model.xxyy.intgemm.alphas.bin.gz: implausible compression ratio ("*" bytes of gzip data -> 16777216 bytes or more)" ]]
    echo x >model/lex.xxyy.s2t.bin
    gzip -c "$MODELS/student_8bit/model.bin" >model/model.xxyy.intgemm.alphas.bin.gz
    translate -m model
    [[ $(<err) == "dragoman: model/lex.xxyy.s2t.bin: "* ]]
}

@test "reads a compressed model.npz and rejects an implausible compression ratio" {
    mkdir model
    cp "$MODELS"/both/* model
    command -v python3 >/dev/null || skip "no python3 to make it"
    python3 - "$MODELS/both/model.npz" <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as old, zipfile.ZipFile("model/model.npz", "w", zipfile.ZIP_DEFLATED) as new:
    for name in old.namelist():
        new.writestr(name, old.read(name))
with zipfile.ZipFile("bomb.npz", "w", zipfile.ZIP_DEFLATED) as z:
    for i in range(4):
        z.writestr("a%d.npy" % i, b"\x93NUMPY\1\0\6\0 " + b"\0" * (12 << 20))
PY
    dragoman -m "$MODELS/both" --format tsv <"$MODELS/both/source.txt" >plain
    dragoman -m model --format tsv <"$MODELS/both/source.txt" | cmp plain -
    translate -m bomb.npz --vocab model/vocab.yml
    expect_status 1
    [[ $(<err) == "dragoman: bomb.npz: "* ]]
}

@test "opens the model that the settings name if a folder has two" {
    mkdir model
    cp "$MODELS/student_8bit/vocab.yml" "$MODELS/student_8bit/decoder.yml" model
    cp "$MODELS/both/model.npz" model
    cp "$MODELS/student_8bit/model.bin" model/model.intgemm.alphas.bin
    sed -i 's/model.npz/model.intgemm.alphas.bin/' model/decoder.yml
    dragoman -m model <"$MODELS/student_8bit/source.txt" >out
    dragoman -m "$MODELS/student_8bit" <"$MODELS/student_8bit/source.txt" | cmp out -
    dragoman pack -m model -o packed
    dragoman -m packed <"$MODELS/student_8bit/source.txt" | cmp out -
}

@test "uses the languages that Firefox and translateLocally state" {
    cp -r "$MODELS/student_8bit" model
    echo '{"architecture": "tiny", "sourceLanguage": "en", "targetLanguage": "de"}' >model/metadata.json
    [[ $(dragoman info -m model | grep language) == $'source language: en\ntarget language: de' ]]
    translate -m model --from en --to fr </dev/null
    expect_status 2
    expect_err "dragoman: --to fr: this model translates into de only"
    echo '{"modelName": "Esperanto-English tiny", "srcTags": {"eo": "Esperanto"}, "trgTag": "en", "type": "tiny"}' >model/model_info.json
    dragoman -m model --from epo --to eng <"$MODELS/student_8bit/source.txt" >out
    dragoman -m "$MODELS/student_8bit" <"$MODELS/student_8bit/source.txt" | cmp out -
    dragoman pack -m model -o packed
    [[ $(dragoman info -m packed | grep language) == $'source language: eo\ntarget language: en' ]]
    echo '{"srcTags"' >model/model_info.json
    translate -m model </dev/null
    expect_status 1
    [[ $(<err) == "dragoman: model/model_info.json: not valid JSON"* ]]
}

@test "a packed model is the same model" {
    for name in both branch student_pre average_bare rms positions no_positions; do
        dragoman pack -m "$MODELS/$name" -o packed.safetensors
        mkdir -p elsewhere && mv packed.safetensors elsewhere
        dragoman -m elsewhere/packed.safetensors -n 4 --format tsv <"$MODELS/$name/source.txt" >out
        compare_nbest "$MODELS/$name/expected.nbest.tsv" out
        dragoman -m "$MODELS/$name" --precision int8 --format tsv <"$MODELS/$name/source.txt" >folder
        dragoman pack -m "$MODELS/$name" --int8 -o packed.safetensors
        dragoman -m packed.safetensors --format tsv <"$MODELS/$name/source.txt" >out
        cmp folder out
        rm packed.safetensors
    done
}

# Packs the model, and compares the packed one with it.
compare_packed() {
    local model=$1 precision=$2
    shift 2
    dragoman pack -m "$model" "$@" -o packed
    mkdir -p elsewhere && mv packed elsewhere/packed
    dragoman -m "$model" --precision "$precision" -n 1 --format jsonl <"$MODELS/student_8bit/source.txt" >expected
    dragoman -m elsewhere/packed --format jsonl <"$MODELS/student_8bit/source.txt" | cmp expected -
    [[ $(dragoman info -m elsewhere/packed --verify | tail -n 1) == "checksums: "*", all correct" ]]
}

@test "packs a student with its 8-bit matrices, vocabularies and shortlist, compressed or not" {
    compare_packed "$MODELS/student_8bit" auto
    compare_packed "$MODELS/student_8bit" int8 --int8
    compare_packed "$MODELS/student_8bit" f32 --f32
    mkdir model
    cp "$MODELS/student_8bit/vocab.yml" model
    gzip -c "$MODELS/student_8bit/model.bin" >model/model.xxyy.intgemm.alphas.bin.gz
    compare_packed model auto
    dragoman shortlist -m model "$MODELS/student_8bit/source.txt" "$MODELS/student_8bit/expected.greedy.txt" -o model/lex.xxyy.s2t.bin
    compare_packed model auto
    dragoman info -m elsewhere/packed | grep '^shortlist: .*lex.xxyy.s2t.bin'
    dragoman shortlist -m model "$MODELS/student_8bit/source.txt" "$MODELS/student_8bit/expected.greedy.txt" -o map.txt
    zstd -q --rm map.txt -o model/vmap.txt.zst
    echo 'shortlist: vmap.txt.zst' >model/decoder.yml
    compare_packed model auto
    mkdir sub
    mv model/vocab.yml sub/v.yml
    printf 'vocabs: [sub/v.yml, sub/v.yml]\ngemm-precision: int8Alpha\nshortlist: [lex.xxyy.s2t.bin, 0]\n' >model/decoder.yml
    compare_packed model auto
    dragoman info -m elsewhere/packed | grep -x 'source vocabulary: elsewhere/packed/v.yml'
    compare_packed model/model.xxyy.intgemm.alphas.bin.gz auto
}

# ids TEXT OPTION...: the source ids of the line
ids() {
    printf '%s\n' "$1" | dragoman -m "${model:-model}" --format jsonl "${@:2}" | jq -c .source_ids
}

@test "reads an OPUS-MT release: source.spm, the steps of preprocess.sh, language codes" {
    local id=0 piece
    mkdir model
    cp "$MODELS/post/model.npz" "$GOLDEN_ROOT"/tokenizers/codes/{source,target}.spm model
    for piece in '</s>' '<unk>' '>>deu<<' '>>fra<<' ▁ B o n j u r ',' '\"' . ▁a; do
        printf '"%s": %d\n' "$piece" $((id++))
    done >model/vocab.yml
    [[ $(ids 'Bonjour” a，' --to de) == "[2,4,5,6,7,8,6,9,10,1,14,1,0]" ]]
    cat >model/preprocess.sh <<'END'
sed -e 's/，/,/g' |
perl -C -pe 's/(?!\n)\p{C}/ /g;' |
spm_encode --model $2
END
    [[ $(ids 'Bonjour” a，' --to de) == "[2,4,5,6,7,8,6,9,10,12,14,11,0]" ]]
    [[ $(ids $'>>fra<< \u200ba\t， ') == "[3,14,4,11,0]" ]]
    translate -m model <<<a
    expect_status 2
    expect_err "dragoman: standard input:1: no language to translate into: give --to, or begin each line with its code, as in >>code<<; the model translates into deu, fra"
    dragoman pack -m model -o packed.safetensors
    [[ $(model=packed.safetensors ids 'Bonjour” a，' --to fra) == "[3,4,5,6,7,8,6,9,10,12,14,11,0]" ]]
    # shellcheck disable=SC2016 # the script's own
    echo 'python3 subword-nmt/apply_bpe.py -c $2' >>model/preprocess.sh
    translate -m model --to de <<<a
    expect_err "dragoman: model/preprocess.sh: BPE by subword-nmt is not supported"
}

@test "an ensemble searches with the weighted sum of log-probabilities; default weights are 1" {
    members=$MODELS/post,$MODELS/student/model.npz,$MODELS/average_pre
    dragoman -m "$members" --weights 0.5,0.25,0.5 -n 4 --format tsv <"$MODELS/post/source.txt" >out
    compare_nbest "$MODELS/post/expected.ensemble.tsv" out
    dragoman -m "$members" -n 4 --format tsv <"$MODELS/post/source.txt" >out
    compare_nbest "$MODELS/post/expected.sum.tsv" out
    dragoman info -m "$members" --weights 0.5,0.25,0.5 |
        grep -qx 'ensemble: 3 models (the first is described below), weights: 0.5 0.25 0.5'
}

@test "settings that name several models make the folder an ensemble with weights" {
    mkdir folder
    for name in post student average_pre; do cp "$MODELS/$name/model.npz" "folder/$name.npz"; done
    cp "$MODELS/post/vocab.yml" folder
    sed 's/^  - model.npz/  - post.npz\n  - student.npz\n  - average_pre.npz/' "$MODELS/post/decoder.yml" >folder/decoder.yml
    dragoman -m folder -n 4 --format tsv <"$MODELS/post/source.txt" >out
    compare_nbest "$MODELS/post/expected.sum.tsv" out
    printf 'weights:\n  - 0.5\n  - 0.25\n  - 0.5\n' >>folder/decoder.yml
    dragoman -m folder -n 4 --format tsv <"$MODELS/post/source.txt" >out
    compare_nbest "$MODELS/post/expected.ensemble.tsv" out
    dragoman -m folder --weights 1,1,1 -n 4 --format tsv <"$MODELS/post/source.txt" >out
    compare_nbest "$MODELS/post/expected.sum.tsv" out
    rm folder/student.npz
    translate -m folder
    expect_err "dragoman: folder/student.npz: No such file or directory"
    translate pack -m folder -o packed.safetensors
    expect_err "dragoman: folder: an ensemble cannot be packed; pack each of its models and name the packed files in the ensemble"
}

@test "--vocab accepts one or two files, and only for Marian models" {
    translate -m "$MODEL" --vocab "$MODELS/post/vocab.yml"
    expect_status 2
    expect_err "dragoman: --vocab can only be used with Marian models; this model has its own vocabularies"
    translate -m "$MODELS/post" -m "$MODEL" --vocab - --vocab any
    expect_status 2
    expect_err "dragoman: $MODEL: --vocab can only be used with Marian models; this model has its own vocabularies"
    for vocabs in ',' 'a,' ',a'; do
        translate -m "$MODELS/post" --vocab "$vocabs"
        expect_status 2
        expect_err "dragoman: --vocab $vocabs: a file name is empty; give SOURCE,TARGET or one file for both"
    done
}

@test "settings limit a lexical shortlist, also when packed; the user's options have priority" {
    cp -r "$MODELS/post" model
    for source in {10..40}; do
        for target in {50..75}; do echo "w$target w$source 0.$((target * source % 97 + 1))"; done
    done >model/lex.s2t
    for numbers in "0 2" "30 1" "0 20"; do
        read -r first best <<<"$numbers"
        dragoman -m "$MODELS/post" --shortlist model/lex.s2t --shortlist-first "$first" --shortlist-best "$best" --format tsv \
            <"$MODELS/post/source.txt" >"expected.$best"
        cp "$MODELS/post/decoder.yml" model/decoder.yml
        printf 'shortlist:\n  - lex.s2t\n  - %s\n  - %s\n' "$first" "$best" >>model/decoder.yml
        dragoman -m model --format tsv <"$MODELS/post/source.txt" | cmp - "expected.$best"
    done
    dragoman pack -m model -o packed
    dragoman -m packed --format tsv <"$MODELS/post/source.txt" | cmp - expected.20
    run ! cmp -s expected.2 expected.1
    run ! cmp -s expected.2 expected.20
    dragoman -m model --shortlist model/lex.s2t --shortlist-first 0 --shortlist-best 2 --format tsv <"$MODELS/post/source.txt" |
        cmp - expected.2
}

@test "rejects an ensemble inside an ensemble and info --verify of an ensemble" {
    cp -r "$MODELS/post" folder
    cp "$MODELS/pre/model.npz" folder/other.npz
    sed -i 's/^  - model.npz/  - model.npz\n  - other.npz/' folder/decoder.yml
    for members in "folder,$MODELS/post" "$MODELS/post,folder"; do
        translate -m "$members"
        expect_status 2
        expect_err "dragoman: folder: this folder is an ensemble itself; name each of its models instead"
    done
    dragoman -m folder/model.npz <"$MODELS/post/source.txt" | cmp - <(dragoman -m "$MODELS/post" <"$MODELS/post/source.txt")
    translate info -m folder --verify
    expect_status 2
    expect_err "dragoman: folder: an ensemble cannot be verified; verify each of its models"
}

@test "an ensemble does not depend on neighbours, threads or packing, and uses a shortlist" {
    members=$MODELS/post,$MODELS/student_8bit,$MODELS/rms
    dragoman -m "$members" -j 1 --batch-rows 1 --format tsv <"$MODELS/post/source.txt" >one
    dragoman -m "$members" -j 2 --batch-rows 64 --format tsv <"$MODELS/post/source.txt" >many
    cmp one many
    dragoman pack -m "$MODELS/post" -o post.safetensors
    dragoman pack -m "$MODELS/rms" -o rms.safetensors
    dragoman -m "post.safetensors,$MODELS/student_8bit,rms.safetensors" --format tsv <"$MODELS/post/source.txt" >packed
    cmp one packed
    for word in w80 w85 w20; do printf '\t%s\n' "$word"; done >vmap.txt
    dragoman -m "$members" --shortlist vmap.txt --min-length 4 --max-length 5 <"$MODELS/post/source.txt" | tr ' ' '\n' | sort -u >words
    [[ $(tr '\n' ' ' <words) =~ ^\ ?(w20\ |w80\ |w85\ )+$ ]]
    translate pack -m "$members" -o packed.safetensors
    expect_err "dragoman: $members: an ensemble cannot be packed; pack each of its models and name the packed files in the ensemble"
}

@test "rejects an ensemble with different vocabularies or wrong weights" {
    cp -r "$MODELS/pre" other
    sed -i 's/"w7"/"seven"/' other/vocab.yml
    translate -m "$MODELS/post,other"
    expect_err "dragoman: other/model.npz: source piece 7 is \"seven\", but \"w7\" in $MODELS/post/model.npz; an ensemble needs the same vocabularies"
    sed -i '/"w95"/d' other/vocab.yml
    translate -m "$MODELS/post,other"
    expect_err "dragoman: other/model.npz: the source vocabulary has 95 pieces, but that of $MODELS/post/model.npz has 96; an ensemble needs the same vocabularies"
    translate -m "$MODELS/post,nowhere"
    expect_err "dragoman: nowhere: no such folder, file or model; 'dragoman models' lists the models on this machine"
    translate -m "$MODELS/post,"
    expect_err "dragoman: $MODELS/post,: a model name is empty; write PATH,PATH"
    for weights in 1 1,2,3 1,x 1,1e9 1,nan 1,inf -1,2; do
        translate -m "$MODELS/post,$MODELS/pre" --weights "$weights"
        expect_status 2
        expect_err "dragoman: --weights '$weights': needs a number from 0 to 1000 for each of the 2 models"
    done
    translate -m "$MODELS/post,$MODELS/pre" --weights 0,0
    expect_status 2
    expect_err "dragoman: --weights '0,0': at least one weight must be above 0"
    translate -m "$MODELS/post" --weights 0.5
    expect_status 2
    expect_err "dragoman: --weights '0.5' can only be used with an ensemble, but there is only one model"
}

@test "names the file and the position of a fault in a model" {
    cp -r "$MODELS/post" model
    rm model/vocab.yml
    translate -m model
    expect_err "dragoman: model/decoder.yml: some of its vocabs (vocab.yml, ...) do not exist; name them with --vocab SOURCE,TARGET"
    rm model/decoder.yml
    translate -m model
    expect_err "dragoman: model: no vocabulary found; name it with --vocab SOURCE,TARGET"
    cp "$MODELS/post/vocab.yml" model
    cp "$MODELS/post/vocab.yml" model/vocab.fsv
    translate -m model --vocab model/vocab.fsv
    expect_err "dragoman: model/vocab.fsv: factored vocabularies are not supported"
    echo 'beam-size: [1' >model/decoder.yml
    translate -m model
    [[ $(<err) == "dragoman: model/decoder.yml: line 2: not valid YAML"* ]]
    printf 'a: &x 1\nb: *x\n' >model/decoder.yml
    translate -m model
    expect_err "dragoman: model/decoder.yml: line 1: anchors are not supported"
    echo 'beam-size: 0' >model/decoder.yml
    translate -m model
    expect_err "dragoman: model/decoder.yml: beam-size must be a whole number from 1 to 1024"
    rm model/decoder.yml
    head -c 20000 "$MODELS/post/model.npz" >model/model.npz
    translate -m model
    [[ $(<err) == "dragoman: model/model.npz: zip archive: cut off"* ]]
}

@test "accepts only pieces if source.spm is missing" {
    cp -r "$MODELS/post" model
    chmod -R u+w model
    sed -i 's/"w7"/"▁w7"/' model/vocab.yml
    echo "w5 w6" >in
    translate -m model in
    expect_status 1
    expect_err "dragoman: model/vocab.yml: the vocabulary has subword pieces, but there is no source.spm beside it to \
split text into them: add it, or give pieces (--pieces)"
    translate -m model --pieces in
    expect_status 0
    expect_err
}

# Gives a tensor of a model.bin another type; its data stay.
retype() { # FILE TENSOR TYPE
    TENSOR=$2 TYPE=$3 perl -0777 -i -pe '
        my $count = unpack("x8 Q<", $_);
        my @names = split /\0/, substr($_, 16 + 32 * $count);
        for my $i (0 .. $count - 1) {
            substr($_, 24 + 32 * $i, 8) = pack("Q<", hex $ENV{TYPE}) if $names[$i] eq $ENV{TENSOR};
        }' "$1"
}

@test "int8 is accepted only where all parts of a matrix and all layers agree, and only for matrices" {
    expect_refused() { # MESSAGE
        for command in "translate -m model" "translate pack -m model -o packed"; do
            $command </dev/null
            expect_status 1
            expect_err "dragoman: model/model.bin: $1"
        done
        [[ ! -e packed ]]
        cp "$MODELS/self_alphas/model.bin" model
    }
    cp -r "$MODELS/self_alphas" model
    chmod -R u+w model
    retype model/model.bin encoder_l1_self_Wk 402
    expect_refused "tensors encoder_l1_self_Wq and encoder_l1_self_Wk: both must be int8, or neither"
    retype model/model.bin decoder_l1_context_bk 4101
    expect_refused "tensor decoder_l1_context_bk: type I8, expected F32, F16, BF16 or F64"
    perl -0777 -i -pe 's/(decoder_l2_self_W[qkv]_QuantMult)A/$1Z/g' model/model.bin
    expect_refused "the self-attention of decoder layer 2 has another type than that of layer 1, or only one of them has multipliers (_QuantMultA)"
}
