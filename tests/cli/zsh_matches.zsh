# zsh_matches.zsh - lists what zsh offers when Tab is pressed at the end of a line.
#
#   zsh -f zsh_matches.zsh FOLDER LINE     FOLDER has the file _dragoman and receives temporary files
#
# An interactive shell in a pseudo-terminal completes the line; its compadd also writes the matches to a file.
zmodload zsh/zpty || exit 1
folder=$1 line=$2
rm -f $folder/{ready,done,matches}
cat >$folder/setup <<END
PROMPT=
fpath=(${(q)folder} \$fpath)
autoload -Uz compinit && compinit -u -d ${(q)folder}/dump
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "\$@"
    return
  fi
  local -a __hits
  builtin compadd -A __hits "\$@"
  (( \$#__hits )) && print -rl -- \$__hits >>${(q)folder}/matches
  builtin compadd "\$@"
}
finish() { : >${(q)folder}/done }
comppostfuncs=(finish)
bindkey '^I' complete-word
: >${(q)folder}/ready
END
zpty shell zsh -f -i
zpty -w shell "source ${(q)folder}/setup"
until [[ -e $folder/ready ]]; do zpty -r -t shell output || sleep 0.05; done
zpty -w -n shell $line$'\t'
until [[ -e $folder/done ]]; do zpty -r -t shell output || sleep 0.05; done
zpty -d shell
[[ ! -e $folder/matches ]] || sort -u $folder/matches
