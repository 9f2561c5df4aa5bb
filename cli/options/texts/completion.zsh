#compdef dragoman
# Completion for zsh, written by 'dragoman completion zsh'.

_dragoman_set_specs() {
  case $command in
@@SPECS@@
  esac
}

_dragoman_commands() {
  local -a commands=(
@@COMMANDS@@
  )
  _describe -t commands command commands
}

_dragoman_is_command() {
  [[ $1 == (@@NAMES@@) ]]
}

_dragoman_models() {
  local -a names=(${(f)"$("$program" complete models 2>/dev/null)"})
  _alternative 'models:model:compadd -a names' 'files:file:_files'
}

_dragoman_languages() {
  local -a languages=(${(f)"$("$program" complete languages $models 2>/dev/null)"})
  languages=("${(@)languages//:/\\:}")
  languages=("${(@)languages/$'\t'/:}")
  _describe -t languages language languages
}

_dragoman_first() {
  if (( CURRENT == 2 )); then
    _alternative 'commands:command:_dragoman_commands' 'files:file:_files'
  else
    _files
  fi
}

_dragoman() {
  local program=${(Q)words[1]/#\~\//$HOME/} command
  local -a models specs
  local -i i
  for (( i = 2; i < CURRENT; i++ )); do
    case $words[i] in
      (-m|--model) models+=(-m "${(Q)words[i+1]/#\~\//$HOME/}") ;;
      (--model=*) models+=(-m "${(Q)words[i]#--model=}") ;;
      (-m?*) models+=(-m "${(Q)words[i]#-m}") ;;
    esac
  done
  if (( CURRENT > 2 )) && _dragoman_is_command $words[2]; then
    command=$words[2]
  fi
  _dragoman_set_specs
  if [[ -n $command ]]; then
    shift words
    (( CURRENT-- ))
  fi
  _arguments -s -S : $specs
}

_dragoman "$@"
