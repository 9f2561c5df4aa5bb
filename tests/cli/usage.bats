#!/usr/bin/env bats
# Wrong usage: one line on stderr and exit code 2, before a model is opened.

load helper

@test "rejects unknown and ambiguous options" {
    expect_usage_error "unknown option '--bogus'" --bogus
    expect_usage_error "unknown option '--bogus'" --bogus=3
    expect_usage_error "unknown option '-Z'" -Z
    expect_usage_error "unknown option '-Z'" -gZ
    expect_usage_error "unknown option '-\\xc3'" $'-\xc3\xa4'
    expect_usage_error "ambiguous option '--m' (--model, --min-length, --max-length, --max-length-factor, --min-alternative-probability, --must, --min-p, --max-input, --max-length-crop, --memory)" --m x
    expect_usage_error "ambiguous option '--b' (--beam, --bilingual, --batch-rows)" --b=3
    expect_usage_error "ambiguous option '--p' (--precision, --prefix, --prefix-bias, --patience, --pieces)" info --p
    expect_usage_error "unknown option '--bogus'" file --bogus
}

@test "suggests the option for a mistyped one" {
    expect_usage_error "unknown option '--beem' (did you mean '--beam'?)" --beem 3
    expect_usage_error "unknown option '--ouput' (did you mean '--output'?)" --ouput=x
    expect_usage_error "unknown option '--max-lenght' (did you mean '--max-length'?)" --max-lenght 3
    expect_usage_error "unknown option '--nbest' (did you mean '--n-best'?)" --nbest 3
    expect_usage_error "unknown option '--help-mann'" --help-mann # hidden
    expect_usage_error "unknown option '--jsonl' (did you mean '--format jsonl'?)" --jsonl
    expect_usage_error "unknown option '--verfy' (did you mean '--verify'?)" info --verfy
    expect_usage_error "unknown option '--verfy'" --verfy # an option of info
    expect_usage_error "unknown option '--resme'" pack --resme
}

@test "rejects the options of other commands" {
    for option in --resume --format=tsv --output-dir=x -O -v --int8 --version; do
        expect_usage_error "info: ${option%=*} cannot be used with this command" info "$option"
    done
    for option in --beam=2 -j --to=de --split --verify; do
        expect_usage_error "pack: ${option%=*} cannot be used with this command" pack "$option"
    done
    expect_usage_error "help: -m cannot be used with this command" help -m
    expect_usage_error "completion: --quiet cannot be used with this command" completion --quiet
    expect_usage_error "--verify can only be used with dragoman info" --verify
    expect_usage_error "--int8 can only be used with dragoman pack (did you mean '--precision int8'?)" --int8
}

@test "each command accepts its options and their abbreviations" {
    translate info -m "$MODEL" --beam 2 --max-in 20 --prec f32 -j 1 --batch-rows 4 --no-split -q
    expect_status 0
    translate pack --mod "$MODEL" --in -o packed -q # --in is --int8; translating has --include
    expect_status 0
    grep -x 'stored as: I8, packed' <(dragoman info -m packed)
}

@test "ignores hidden options in abbreviations" {
    for option in --h --he --hel; do
        translate "$option"
        expect_status 0
        cmp out <(dragoman --help)
    done
    dragoman --help-man >page
    [[ $(head -c 3 page) == .TH ]]
}

@test "rejects a command that is not first and suggests a mistyped one" {
    for command in info pack shortlist score align calibrate explain help completion; do
        expect_usage_error "the command '$command' must come first: dragoman $command [OPTION]..." -m "$MODEL" "$command"
        echo "One." >$command
        translate -m "$MODEL" $command # a file of that name is one
        expect_status 0
        rm $command
    done
    expect_usage_error "infos: No such file or directory (did you mean the command 'dragoman info'?)" infos
    expect_usage_error "pakc: No such file or directory (did you mean the command 'dragoman pack'?)" pakc -o x
    expect_usage_error "shortlst: No such file or directory (did you mean the command 'dragoman shortlist'?)" \
        shortlst a b -o x
    expect_usage_error "inof: No such file or directory (did you mean the command 'dragoman info'?)" inof -m x
    expect_usage_error "hlep: No such file or directory (did you mean the command 'dragoman help'?)" hlep formats
    expect_usage_error "completions: No such file or directory (did you mean the command 'dragoman completion'?)" completions
    translate complet # the nearest command is hidden
    expect_status 1
    translate information
    expect_status 1
    expect_err "dragoman: information: No such file or directory"
    echo "One." >infos
    translate infos
    expect_status 0
}

@test "rejects a missing value" {
    for option in -m -t -f -b -n -j -o; do expect_usage_error "option '$option' needs a value" "$option"; done
    for option in model to from beam n-best length-penalty min-length max-length prefix repetition-penalty \
        no-repeat-ngram threads batch-rows precision output format; do
        expect_usage_error "option '--$option' needs a value" "--$option"
    done
}

@test "rejects an empty value" {
    for option in model from to output; do
        expect_usage_error "option '--$option' needs a value that is not empty" "--$option="
    done
}

@test "rejects a value for an option without one" {
    for option in greedy pieces quiet verbose version help; do
        expect_usage_error "option '--$option' takes no value" "--$option=1"
    done
}

@test "rejects invalid whole numbers" {
    for value in 0 -1 1025 3x x '' ' 3' 3.0 0x3 99999999999999999999; do
        expect_usage_error "--beam: '$value' is not a whole number from 1 to 1024" -b "$value"
        expect_usage_error "--beam: '$value' is not a whole number from 1 to 1024" "--beam=$value"
    done
    expect_usage_error "--n-best: '0' is not a whole number from 1 to 1024" -n 0
    expect_usage_error "--threads: '0' is not a whole number from 1 to 1024" -j 0
    expect_usage_error "--batch-rows: '0' is not a whole number from 1 to 65536" --batch-rows 0
    expect_usage_error "--min-length: '-1' is not a whole number from 0 to 1000000" --min-length -1
    expect_usage_error "--max-length: '0' is not a whole number from 1 to 1000000" --max-length 0
    expect_usage_error "--no-repeat-ngram: '-1' is not a whole number from 0 to 1000000" --no-repeat-ngram -1
}

@test "rejects invalid numbers" {
    for value in x '' nan inf 1,5 0x1p3 1e999 ' 1' 1f 101 -101; do
        expect_usage_error "--length-penalty: '$value' is not a number from -100 to 100" --length-penalty "$value"
    done
    expect_usage_error "--repetition-penalty: '0' is not a number from 0.001 to 1000" --repetition-penalty 0
    expect_usage_error "--repetition-penalty: '-1' is not a number from 0.001 to 1000" --repetition-penalty -1
}

@test "rejects invalid names" {
    expect_usage_error "--format must be one of text, tsv, jsonl, marian, not 'xml'" --format xml
    expect_usage_error "--format must be one of text, tsv, jsonl, marian, not 'TEXT'" --format TEXT
    expect_usage_error "--precision must be one of auto, f32, bf16, int8, not 'int4'" --precision int4
}

@test "rejects contradicting options" {
    expect_usage_error "--greedy and --beam 4 cannot be used together" -g -b 4
    expect_usage_error "--n-best 5 exceeds the beam size 4" -b 4 -n 5
    expect_usage_error "--n-best 2 exceeds the beam size 1" -g -n 2
    expect_usage_error "--min-length 6 exceeds --max-length 5" --min-length 6 --max-length 5
}

@test "rejects a prefix that is not one line of text" {
    expect_usage_error "--prefix: not valid UTF-8" --prefix $'a\xff'
    expect_usage_error "--prefix: must be a single line" --prefix $'a\nb'
}

@test "info rejects files" {
    expect_usage_error "info: unexpected file 'x'; give the model with -m" info x
    expect_usage_error "info: unexpected file '$MODEL'; give the model with -m" info "$MODEL"
}

@test "reports wrong usage before opening the model" {
    expect_usage_error "unknown option '--bogus'" -m no/such/model --bogus
}

@test "rejects more translations than the model's beam" {
    translate -n 1000 </dev/null
    expect_status 2
    [[ $(wc -l <err) == 1 ]]
    grep -q '^dragoman: ' err
    [[ ! -s out ]]
}

@test "rejects searches that contradict each other" {
    expect_usage_error "--sample and --no-sample cannot be used together" --sample --no-sample
    expect_usage_error "--alternatives and --n-best cannot be used together" --alternatives 2 -n 2 -b 4
    expect_usage_error "--min-alternative-probability needs --alternatives N" --min-alternative-probability 0.1
    expect_usage_error "--prefix-bias needs --prefix TEXT, or a column prefix (--tsv-in)" --prefix-bias 0.5
    expect_usage_error "--n-best 3 exceeds the beam size 2" --sample -b 2 -n 3
    expect_usage_error "--n-best 3 exceeds the beam size 1" -g -n 3
    expect_usage_error "--bilingual and --alternatives cannot be used together" --bilingual --alternatives 2
    expect_usage_error "--memory and --alternatives cannot be used together" --memory m.tsv --alternatives 2
    expect_usage_error "--suppress: must be a single line" --suppress $'a\nb'
    expect_usage_error "--end-token: not valid UTF-8" --end-token $'\xff'
    echo "One." >in
    for options in "--sample -n 3" "--sample -b 1 -n 3" "--alternatives 3"; do
        # shellcheck disable=SC2086 # words
        translate $options in
        expect_status 0
        [[ $(wc -l <out) == 3 ]]
    done
    [[ $(echo | dragoman --alternatives 3 | wc -l) == 3 ]]
}

@test "help rejects unknown subjects and completion unknown shells" {
    local all="info, models, pack, shortlist, score, align, calibrate, explain, get, help, completion, languages, formats, documents, model-files, names, exit-codes"
    expect_usage_error "help: 'langages' is neither a command nor a topic (did you mean 'languages'?); choose from $all" help langages
    expect_usage_error "help: 'pakc' is neither a command nor a topic (did you mean 'pack'?); choose from $all" help pakc
    expect_usage_error "help: 'e-x' is neither a command nor a topic; choose from $all" help e x
    expect_usage_error "help: 'complete' is neither a command nor a topic (did you mean 'completion'?); choose from $all" help complete
    expect_usage_error "help: '' is neither a command nor a topic; choose from $all" help ''
    expect_usage_error "completion: needs one shell: bash, zsh or fish" completion
    expect_usage_error "completion: needs one shell: bash, zsh or fish" completion bash zsh
    expect_usage_error "completion: there is a script for bash, zsh and fish, not for 'ksh'" completion ksh
}
