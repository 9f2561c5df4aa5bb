#!/usr/bin/env bats
# The completion scripts, in the shells that they are for.
# shellcheck disable=SC2016,SC2088 # another shell expands these texts, or must not expand them

load helper

setup_file() {
    export SCRIPTS=$BATS_FILE_TMPDIR
    local dragoman=${DRAGOMAN:-$BATS_TEST_DIRNAME/../../dragoman}
    mkdir "$SCRIPTS/bin"
    ln -s "$(realpath "$dragoman")" "$SCRIPTS/bin/dragoman"
    "$dragoman" completion bash >"$SCRIPTS/dragoman.bash"
    "$dragoman" completion zsh >"$SCRIPTS/_dragoman"
    "$dragoman" completion fish >"$SCRIPTS/dragoman.fish"
}

# An empty home, and a folder with a model and a file whose names contain spaces.
prepare() {
    unset DRAGOMAN_MODEL
    export PATH=$SCRIPTS/bin:$PATH HOME=$FILES XDG_CONFIG_HOME=$FILES/config XDG_DATA_HOME=$FILES/data
    ln -s "$GOLDEN_ROOT/marian/mish-languages" "my model"
    echo "One." >"my file.txt"
    : >index
}

# Completes the last of the words and prints the candidates; none means that bash completes file names.
in_bash() {
    bash --norc -c 'set -u
        source "$SCRIPTS/dragoman.bash"
        COMP_WORDS=(dragoman "$@") COMP_CWORD=$#
        _dragoman
        ((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

in_zsh() {
    timeout 60 zsh -f "$BATS_TEST_DIRNAME/zsh_matches.zsh" "$SCRIPTS" "$1"
}

# Prints the candidates without their descriptions.
in_fish() {
    fish --no-config -c 'source $SCRIPTS/dragoman.fish; complete -C $argv[1]' "$1" | cut -f 1
}

need() {
    command -v "$1" >/dev/null || skip "no $1"
    prepare
}

# expect LINE... -- COMMAND...: the command prints exactly these lines.
expect() {
    local lines=()
    while [[ $1 != -- ]]; do lines+=("$1"); shift; done
    shift
    "$@" >got
    diff -u <(((${#lines[@]} == 0)) || printf '%s\n' "${lines[@]}") got
}

@test "complete prints models and languages, and nothing for what is wrong" {
    prepare
    DRAGOMAN_MODEL=wrong expect -- dragoman complete languages
    expect $'en\tEnglish' $'deu\tGerman' $'nld\tDutch' $'gsw\tSwiss German' -- dragoman complete languages -m "my model"
    DRAGOMAN_MODEL="my model" expect $'en\tEnglish' $'deu\tGerman' $'nld\tDutch' $'gsw\tSwiss German' -- \
        dragoman complete languages
    dragoman complete languages | grep -qx $'de\tGerman'
    [[ $(dragoman complete languages | wc -l) -gt 150 ]]
    for words in "complete" "complete wrong" "complete languages -m missing" "complete languages -m index"; do
        # shellcheck disable=SC2086
        translate $words
        expect_status 0
        expect_err
        [[ ! -s out ]]
    done
    translate complete languages -m ''
    expect_status 0
    expect_err
}

@test "complete finds the models in the folders of models" {
    prepare
    mkdir -p prefix/{bin,share/dragoman/models} prefix/bin/models
    cp "$DRAGOMAN" prefix/bin/dragoman
    expect -- prefix/bin/dragoman complete models
    : >prefix/share/dragoman/models/en-de.safetensors
    : >prefix/share/dragoman/models/README.md
    : >prefix/bin/models/own.safetensors
    expect en-de own -- eval "prefix/bin/dragoman complete models | sort"
}

@test "bash: the script passes shellcheck and names a function" {
    prepare
    [[ $(bash --norc -uc 'source "$SCRIPTS/dragoman.bash"; complete -p dragoman') == *"-F _dragoman dragoman" ]]
    command -v shellcheck >/dev/null || skip "no shellcheck"
    shellcheck "$SCRIPTS/dragoman.bash"
}

@test "bash: completes commands, options, choices and shells" {
    prepare
    expect --from --format --force-decode --front-matter --force-language -- in_bash --f
    expect info index -- in_bash i
    expect --verify --verbose --version -- eval 'in_bash info --ver; in_bash --ver'
    expect --f32 -- in_bash pack --f
    expect text tsv jsonl marian -- in_bash --format ''
    expect jsonl -- in_bash --format = j  # with the default COMP_WORDBREAKS
    expect text tsv jsonl marian -- in_bash --format =
    expect --format=jsonl -- in_bash --format=j
    expect languages -- in_bash help lang
    expect bash zsh fish -- in_bash completion ''
    expect -- in_bash models ''
    expect -- in_bash --beam ''
    expect -- in_bash -- --f
}

@test "bash: completes models and languages" {
    prepare
    expect en-de -- in_bash -m en-
    expect en-de -- in_bash info en-
    expect de -- in_bash --from de
    expect en deu nld gsw -- in_bash -m 'my\ model' --to ''
    expect deu -- in_bash info --model = '"my model"' --to = d
    expect deu -- in_bash "--model='my model'" -t d
    expect deu -- in_bash -m ~/my\\\ model -t d
    expect deu -- in_bash -m '~/my\ model' -t d
}

@test "bash: never runs what a file or the line contains" {
    prepare
    expect -- in_bash -m '$(touch run)' --to d
    expect -- in_bash -m '"`touch run`"' --to d
    [[ ! -e run ]]
}

@test "bash: an interactive shell completes names with spaces" {
    prepare
    command -v python3 >/dev/null || skip "no python3"
    cat >type.py <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("bash", ["bash", "--norc", "-i"])
os.write(terminal, sys.argv[1].encode())
try:
    while os.read(terminal, 4096):
        pass
except OSError:
    pass
END
    cat >start <<'END'
source "$SCRIPTS/dragoman.bash"
dragoman() { printf '<%s>' "$@" >words; }
END
    timeout 60 python3 type.py $'source start\ndragoman my\\ f\t\nexit\n'
    [[ $(cat words) == '<my file.txt>' ]]
    timeout 60 python3 type.py $'source start\ndragoman --output=my\\ f\t --form\tj\t\nexit\n'
    [[ $(cat words) == '<--output=my file.txt><--format><jsonl>' ]]
    timeout 60 python3 type.py $'source start\ndragoman -O m\t\nexit\n' # a folder
    [[ $(cat words) == '<-O><my model/>' ]]
}

@test "zsh: completes commands, options, choices, models and languages" {
    need zsh
    zsh -n "$SCRIPTS/_dragoman"
    expect --force-decode --force-language --format --from --front-matter -- in_zsh 'dragoman --f'
    expect index info -- in_zsh 'dragoman i'
    expect --verify -- in_zsh 'dragoman info --ver'
    expect --f32 -- in_zsh 'dragoman pack --f'
    expect jsonl marian text tsv -- in_zsh 'dragoman --format='
    expect bash fish zsh -- in_zsh 'dragoman completion '
    expect languages -- in_zsh 'dragoman help lang'
    expect en-de -- in_zsh 'dragoman -m en'
    expect en-de -- in_zsh 'dragoman info en'
    expect deu en gsw nld -- in_zsh 'dragoman -m my\ model --to '
    expect deu -- in_zsh 'dragoman info --model="my model" --to=d'
}

@test "zsh: completes file names with spaces" {
    need zsh
    expect 'my\ file.txt' 'my\ model' -- in_zsh 'dragoman my'
    expect 'my\ file.txt' -- in_zsh 'dragoman shortlist index my\ f'
    expect 'my\ model' -- in_zsh 'dragoman -O my'
    expect -- in_zsh 'dragoman models my'
}

@test "fish: completes commands, options, choices, models and languages" {
    need fish
    fish --no-execute "$SCRIPTS/dragoman.fish"
    expect --force-decode --force-language --format --from --front-matter -- in_fish 'dragoman --f'
    expect index info -- in_fish 'dragoman i'
    expect --verify -- in_fish 'dragoman info --ver'
    expect --f32 -- in_fish 'dragoman pack --f3'
    expect --format={jsonl,marian,text,tsv} -- in_fish 'dragoman --format='
    expect bash fish zsh -- in_fish 'dragoman completion '
    expect languages -- in_fish 'dragoman help lang'
    in_fish 'dragoman -m en' | grep -qx en-de
    in_fish 'dragoman pack en' | grep -qx en-de
    expect deu en gsw nld -- in_fish 'dragoman -m my\ model --to '
    expect --to=deu -- in_fish 'dragoman info --model="my model" --to=d'
    fish --no-config -c 'source $SCRIPTS/dragoman.fish; complete -C "dragoman --dry"' | grep -q $'\t'
}

@test "fish: completes file names with spaces" {
    need fish
    expect 'my file.txt' 'my model/' -- in_fish 'dragoman my'
    expect 'my model/' -- in_fish 'dragoman -O my'
    expect -- in_fish 'dragoman models my'
}
