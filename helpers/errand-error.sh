# Errand's error helper for bash: source it, then raise a failure with a kind of your own.
#
#   . errand-error.sh
#   errand_raise external.order.missing "No order $id" "{\"id\": $(errand_json_string "$id")}"
#
# errand_raise  KIND MESSAGE [DETAILS_AS_JSON]   writes the failure and exits with 1
# errand_error  KIND MESSAGE [DETAILS_AS_JSON]   writes it and returns, so that you can clean up
# DETAILS that are not exactly one JSON value, such as the reply of a server, are passed on as text
# errand_json_string TEXT                        prints the text as a JSON string
# errand_attempt, errand_run_id, errand_idempotency_key, errand_trace_parent   print what Errand says of this try

errand_json_string() {
  local LC_ALL=C text=${1-} out='' char index
  for ((index = 0; index < ${#text}; index++)); do
    char=${text:index:1}
    case $char in
      '"' | \\) out+="\\$char" ;;
      $'\n') out+='\n' ;;
      $'\r') out+='\r' ;;
      $'\t') out+='\t' ;;
      [[:cntrl:]]) out+=$(printf '\\u%04x' "'$char") ;;
      *) out+=$char ;;
    esac
  done
  printf '"%s"' "$out"
}

# Whether the text is exactly one JSON value: more would add keys to the failure, a kind among them.
errand_is_json() {
  local LC_ALL=C IFS='"' next=value open='' parts part text='' is_text=''
  read -r -d '' -a parts <<<"${1-}" || : # the parts between quotes; the last ends with a line break
  for part in "${parts[@]}"; do
    if [ -z "$is_text" ]; then
      _errand_json_signs || return 1
      is_text=1
    else
      text+=$part
      [[ $part =~ \\*$ ]]
      if ((${#BASH_REMATCH[0]} % 2 == 1)); then
        text+='"'
      else
        _errand_json_text && _errand_json_next '"' || return 1
        text='' is_text=''
      fi
    fi
  done
  # outside of any text, with nothing left open
  [ -n "$is_text" ] && [ -z "$open$text" ] && [ "$next" = end ]
}

# Takes the signs, numbers and words of $part, split at commas: matching again and again in a long list takes long.
_errand_json_signs() {
  local IFS=, items item comma=''
  read -r -d '' -a items <<<"$part" || :
  for item in "${items[@]}"; do
    [ -z "$comma" ] || _errand_json_next , || return 1
    _errand_json_item || return 1
    comma=1
  done
}

_errand_json_item() {
  local space=$'^[ \t\r\n]+' value='^(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null)'
  while [ -n "$item" ]; do
    if [[ $item =~ $space ]]; then
      :
    elif [[ $item =~ $value ]]; then
      _errand_json_next value || return 1
    else
      _errand_json_next "${item:0:1}" || return 1
      item=${item:1}
      continue
    fi
    item=${item:${#BASH_REMATCH[0]}}
  done
}

# Whether $text may stand between quotes.
_errand_json_text() {
  local hex='[0-9a-fA-F]' rest=${text//\\[\"\\\/bfnrt]/_}
  rest=${rest//\\u$hex$hex$hex$hex/_}
  [[ $rest != *[$'\x01'-$'\x1f\\']* ]]
}

# From what may come next (a value, an item of a list or its end, a member of an object or its end, a key, a colon,
# the end of a value) to what may come after this sign; $open has the brackets that are open.
_errand_json_next() {
  case "$next $1" in
    'value {' | 'item {') open="{$open" next=member ;;
    'value [' | 'item [') open="[$open" next=item ;;
    'item ]' | 'member }') open=${open:1} next=end ;;
    'value "' | 'item "' | 'value value' | 'item value') next=end ;;
    'member "' | 'key "') next=colon ;;
    'colon :') next=value ;;
    *)
      case "$next $1 ${open:0:1}" in
        'end ] [' | 'end } {') open=${open:1} ;;
        'end , [') next=value ;;
        'end , {') next=key ;;
        *) return 1 ;;
      esac
      ;;
  esac
}

errand_error() {
  local kind=${1-} message=${2-} details=${3-} file=${ERRAND_ERROR_OUT:-${CONDUCTOR_ERROR_OUT-}} json
  if [ -z "$kind" ]; then
    printf 'errand_error: a kind is needed\n' >&2
    return 2
  fi
  json="{\"kind\":$(errand_json_string "$kind"),\"message\":$(errand_json_string "${message:-$kind}")"
  if [ -n "$details" ]; then
    (shopt -u nocasematch && errand_is_json "$details") || details=$(errand_json_string "$details")
    json+=",\"details\":$details"
  fi
  json+='}'
  if [ -z "$file" ]; then
    printf '%s\n' "$json" >&2 # not run by Errand: say it where a person sees it
    return 0
  fi
  # whole or not at all: the script may be stopped at any moment; a part of an earlier try is replaced, under noclobber too
  printf '%s\n' "$json" >|"$file.part" && mv -f "$file.part" "$file"
}

errand_raise() {
  errand_error "$@" || exit
  exit 1
}

errand_attempt() { printf '%s\n' "${ERRAND_ATTEMPT:-0}"; }
errand_run_id() { printf '%s\n' "${ERRAND_RUN-}"; }
errand_idempotency_key() { printf '%s\n' "${ERRAND_IDEMPOTENCY_KEY-}"; }
errand_trace_parent() { printf '%s\n' "${TRACEPARENT-}"; }
