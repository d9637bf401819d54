"""Errand's error helper for Python 3.6 and later: raise a failure with a kind of your own.

    from errand_error import ErrandError, install
    install()
    raise ErrandError("external.order.missing", f"No order {id}", {"id": id})

install makes an ErrandError that nobody catches, or that is the cause of what nobody catches, the
failure of the script, after every `finally`. raise_error writes the failure and exits with 1 at
once; write_error writes it and returns.
"""

import json
import os
import sys


class ErrandError(Exception):
    def __init__(self, kind, message="", details=None):
        if not kind:
            raise ValueError("a kind is needed")
        super().__init__(message or kind)
        self.kind = kind
        self.details = details


def install():
    before = sys.excepthook

    def hook(error_type, error, traceback):
        before(error_type, error, traceback)
        raised = _raised_in(error)
        if raised is not None:
            write_error(raised.kind, str(raised), raised.details)

    sys.excepthook = hook


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


def attempt():
    """The try of the step, 0 for the first."""
    return int(os.environ.get("ERRAND_ATTEMPT") or 0)


def run_id():
    return os.environ.get("ERRAND_RUN") or None


def idempotency_key():
    """The same for every try of the same action: give it to the service you call."""
    return os.environ.get("ERRAND_IDEMPOTENCY_KEY") or None


def trace_parent():
    """The W3C trace context of this try."""
    return os.environ.get("TRACEPARENT") or None


def _raised_in(error):
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ErrandError):
            return error
        seen.add(id(error))
        error = error.__cause__
    return None


def _to_json(envelope):
    try:
        return json.dumps(envelope, default=str, allow_nan=False)
    except (TypeError, ValueError):
        # a key, a number or a circle that JSON does not have
        return json.dumps(dict(envelope, details={"value": repr(envelope["details"])}))
