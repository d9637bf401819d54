#!/usr/bin/env bash
# Looks up an order. A script raises by writing a kind to the file that ERRAND_ERROR_OUT names.
set -euo pipefail
order="$1"
if [[ "$order" != A-* ]]; then
  printf '{"kind": "external.order.missing", "message": "There is no order %s", "details": {"order": "%s"}}' \
    "$order" "$order" >"$ERRAND_ERROR_OUT"
  exit 1
fi
printf '{"id": "%s", "region": "%s"}\n' "$order" "$REGION"
