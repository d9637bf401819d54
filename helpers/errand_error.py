"""Errand's error helper for Python 3.6 and later: raise a failure with a kind of your own.

    from errand_error import ErrandError, install
    install()
    raise ErrandError("external.order.missing", f"No order {id}", {"id": id})

install makes an ErrandError that nobody catches, or that is the cause or in the group of what nobody
catches, the failure of the script, after every `finally`; from Python 3.8 in every thread. raise_error
writes the failure and exits with 1 at once; write_error writes it and returns.
"""

import builtins
import json
import os
import sys
import threading


_writing = threading.Lock()
# Python 3.11 has groups; before, nothing is one
_GROUP = getattr(builtins, "BaseExceptionGroup", ())


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
        _write_raised(error)

    sys.excepthook = hook
    if hasattr(threading, "excepthook"):
        _install_in_threads()


def _install_in_threads():
    before = threading.excepthook

    def hook(args):
        before(args)
        _write_raised(args.exc_value)

    threading.excepthook = hook


def _write_raised(error):
    raised = _raised_in(error)
    if raised is not None:
        write_error(raised.kind, str(raised), raised.details)


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
    # whole or not at all: the script may be stopped at any moment, and threads may fail together
    with _writing:
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
    around = [error]
    # also visits what is added on the way
    for each in around:
        if isinstance(each, ErrandError):
            return each
        inside = each.exceptions if isinstance(each, _GROUP) else ()
        for other in (*inside, each.__cause__):
            if other is not None and not any(other is known for known in around):
                around.append(other)
    return None


def _to_json(envelope):
    try:
        return json.dumps(envelope, default=str, allow_nan=False)
    except Exception:
        # a key, a number, a depth or a circle that JSON does not have
        return json.dumps(dict(envelope, details={"value": _to_text(envelope["details"])}))


def _to_text(details):
    try:
        return repr(details)
    except Exception as error:
        # the kind is worth more than its details
        return "details that cannot be written: " + type(error).__name__
