# Completion for fish, written by 'dragoman completion fish'.

# Prints the words before the cursor: the program first, with ~ expanded.
function __dragoman_words
    commandline -opc | string replace -r '^~/' "$HOME/"
end

# Whether the line has the given command; '' is translating.
function __dragoman_has -a command
    set -l words (__dragoman_words)
    __dragoman_is_command "$words[2]"; or set words[2] ''
    test "$words[2]" = "$command"
end

function __dragoman_is_first
    test (count (commandline -opc)) -eq 1
end

function __dragoman_complete
    set -l program (__dragoman_words)[1]
    $program complete $argv 2>/dev/null
end

function __dragoman_languages
    set -l models
    set -l is_model no
    for word in (__dragoman_words)
        if test $is_model = yes
            set -a models -m $word
            set is_model no
        else if contains -- $word -m --model
            set is_model yes
        else if string match -q -- '--model=*' $word
            set -a models -m (string replace -- --model= '' $word)
        else if string match -q -- '-m?*' $word
            set -a models -m (string replace -- -m '' $word)
        end
    end
    __dragoman_complete languages $models
end

function __dragoman_is_command -a word
    contains -- "$word" @@NAMES@@
end

@@COMMANDS@@
@@OPTIONS@@
