#!/bin/bash
# What each shell makes of a half-typed command, by its own engine: completion.sh TORQUETUM
# The programs below the words are stand-ins that know one command each, so that the test needs nothing built but the front.
# shellcheck disable=SC2016,SC2317 # what stands in single quotes is for the shells under test; in_* is called by name
set -u
failed=0
folder=$(mktemp -d "${TMPDIR:-/tmp}/torquetum-completion-XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/here"
cp "$1" "$folder/bin/torquetum"
ln -s torquetum "$folder/bin/tqm"
cat >"$folder/bin/torquetum-chips" <<'PROGRAM'
#!/bin/sh
[ "$1" = --complete-words ] || exit 1
shift
case "$*" in
  "sh" | "s") printf '%s\n' show ;;
  "show a b "*) printf '%s\n' one-word ;;
  "show --format "*) ;;
  *) exit 0 ;;
esac
PROGRAM
chmod +x "$folder/bin/torquetum-chips"
cd "$folder/here" || exit 1
touch a-file
export PATH="$folder/bin:/usr/bin:/bin" HOME="$folder" XDG_CONFIG_HOME="$folder" XDG_DATA_HOME="$folder"

# A line's candidates, one a line.
in_bash() {
  bash --norc -c 'eval "$(torquetum completion bash)"; IFS=" " read -r -a COMP_WORDS <<<"$1"
    case "$1" in *" ") COMP_WORDS+=("") ;; esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _torquetum; printf "%s\n" "${COMPREPLY[@]}"' bash "$1"
}

in_fish() {
  fish --no-config -c 'torquetum completion fish | source; complete -C $argv[1]' "$1"
}

# zsh completes at a prompt only: the line after one Tab, by an interactive zsh on a pseudo-terminal.
in_zsh() {
  rm -f "$folder/line"
  zsh -f -c '
    zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "autoload -Uz compinit; compinit -D -u; eval \"\$(torquetum completion zsh)\"
      _tab() { zle complete-word; print -r -- \$BUFFER >$2.part; mv $2.part $2 }; zle -N _tab; bindkey ^T _tab; : >$2.ready"
    while [[ ! -e $2.ready ]]; do zpty -r -t shell >/dev/null; sleep 0.01; done
    zpty -w -n shell "$1"$'"'\x14'"'
    while [[ ! -e $2 ]]; do zpty -r -t shell >/dev/null; sleep 0.01; done
    zpty -d shell' zsh "$1" "$folder/line"
  rm -f "$folder/line.ready"
  cat "$folder/line"
}

# expect SHELL LINE WANTED
expect() {
  local got
  got=$("in_$1" "$2" | sort | tr '\n' ' ' | sed 's/ *$//')
  if [ "$got" != "$3" ]; then
    echo "FAILED: $1: '$2' gives '$got', wanted '$3'"
    failed=1
  fi
}

expect bash "torquetum ch" "chips"
expect bash "torquetum completion " "bash fish zsh"
expect bash "torquetum chips sh" "show"
expect bash "tqm completion z" "zsh"
expect bash "torquetum chips show --format " ""
expect fish "torquetum ch" "chips"
expect fish "torquetum completion " "bash fish zsh"
expect fish "torquetum chips sh" "show"
expect fish "tqm completion z" "zsh"
expect fish "torquetum chips show --format a" "a-file"
expect zsh "torquetum ch" "torquetum chips"
expect zsh "torquetum chips s" "torquetum chips show"
expect zsh "tqm completion z" "tqm completion zsh"
expect zsh "torquetum chips show a b " "torquetum chips show a b one-word"
expect zsh "torquetum chips show --format a" "torquetum chips show --format a-file"
exit $failed
