# Errand's error helper for bash: source it, then raise a failure with a kind of your own.
#
#   . errand-error.sh
#   errand_raise external.order.missing "No order $id" "{\"id\": $(errand_json_string "$id")}"
#
# errand_raise  KIND MESSAGE [DETAILS_AS_JSON]   writes the failure and exits with 1
# errand_error  KIND MESSAGE [DETAILS_AS_JSON]   writes it and returns, so that you can clean up
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

errand_error() {
  local kind=${1-} message=${2-} details=${3-} file=${ERRAND_ERROR_OUT:-${CONDUCTOR_ERROR_OUT-}} json
  if [ -z "$kind" ]; then
    printf 'errand_error: a kind is needed\n' >&2
    return 2
  fi
  json="{\"kind\":$(errand_json_string "$kind"),\"message\":$(errand_json_string "${message:-$kind}")"
  [ -z "$details" ] || json+=",\"details\":$details"
  json+='}'
  if [ -z "$file" ]; then
    printf '%s\n' "$json" >&2 # not run by Errand: say it where a person sees it
    return 0
  fi
  # whole or not at all: the script may be stopped at any moment
  printf '%s\n' "$json" >"$file.part" && mv -f "$file.part" "$file"
}

errand_raise() {
  errand_error "$@" || exit
  exit 1
}

errand_attempt() { printf '%s\n' "${ERRAND_ATTEMPT:-0}"; }
errand_run_id() { printf '%s\n' "${ERRAND_RUN-}"; }
errand_idempotency_key() { printf '%s\n' "${ERRAND_IDEMPOTENCY_KEY-}"; }
errand_trace_parent() { printf '%s\n' "${TRACEPARENT-}"; }
