"""Errand's error helper for Python 3.6 and later: raise a failure with a kind of your own.

    from errand_error import raise_error
    raise_error("external.order.missing", f"No order {id}", {"id": id})

raise_error writes the failure and exits with 1; write_error writes it and returns.
"""

import json
import os
import sys


def write_error(kind, message="", details=None):
    if not kind:
        raise ValueError("a kind is needed")
    envelope = {"kind": kind, "message": message or kind}
    if details is not None:
        envelope["details"] = details
    text = _to_json(envelope)
    path = os.environ.get("ERRAND_ERROR_OUT") or os.environ.get("CONDUCTOR_ERROR_OUT")
    if not path:
        # not run by Errand: say it where a person sees it
        print(text, file=sys.stderr)
        return
    # whole or not at all: the script may be stopped at any moment
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)


def raise_error(kind, message="", details=None):
    write_error(kind, message, details)
    sys.exit(1)


def _to_json(envelope):
    try:
        return json.dumps(envelope, default=str, allow_nan=False)
    except (TypeError, ValueError):
        # a key, a number or a circle that JSON does not have
        return json.dumps(dict(envelope, details={"value": repr(envelope["details"])}))
