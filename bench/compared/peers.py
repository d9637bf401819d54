"""Plays recorded failures to LiteLLM and Pipelex over the loopback interface and prints what each makes of them.

Usage: python peers.py FILE.jsonl > OUT.jsonl

Every entry is served as the HTTP response it was, by a server of this process. LiteLLM calls it by the provider's own
protocol; the question is what its router would do with the exception. For Pipelex the provider's official SDK calls it,
and Pipelex's own functions extract and classify what that SDK raised. One line for each entry and system:
{"id", "system", "retries", "named"}; `named` is null where the system accepted the response as an answer.
"""

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import anthropic
import litellm
import openai
from google import genai
from google.genai import types as genai_types
from pipelex.cogt.inference.error_classification import (
    extract_anthropic_metadata,
    extract_google_metadata,
    extract_openai_metadata,
)
from pipelex.cogt.inference.error_classify import InferenceErrorFamily, classify_inference_error

litellm.suppress_debug_info = True
litellm.telemetry = False
MESSAGES = [{"role": "user", "content": "Say hello"}]
ENTRIES = {}


class Player(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        entry = ENTRIES[self.path.split("/")[1]]
        body = entry["body"]
        text = body if isinstance(body, str) else json.dumps(body)
        payload = b"" if body is None else text.encode()
        self.send_response(entry["status"])
        names = {name.lower() for name in entry["headers"]}
        for name, value in entry["headers"].items():
            if name.lower() not in ("content-length", "transfer-encoding", "content-encoding", "connection"):
                self.send_header(name, str(value))
        if "content-type" not in names:
            self.send_header("content-type", "text/html" if text.lstrip().startswith("<") else "application/json")
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_):
        """The output of this program is data."""


def protocol_of(entry):
    provider = entry["provider"]
    if provider == "anthropic":
        return "anthropic"
    if provider in ("gemini", "google"):
        return "google"
    return "openai"


def litellm_verdict(entry, base):
    protocol = protocol_of(entry)
    target = {
        "openai": {"model": "openai/m", "api_base": f"{base}/v1"},
        "anthropic": {"model": "anthropic/claude-sonnet-4-5", "api_base": base},
        "google": {"model": "gemini/gemini-2.5-flash", "api_base": f"{base}/v1beta/models/m"},
    }[protocol]
    try:
        reply = litellm.completion(messages=MESSAGES, api_key="k", max_retries=0, num_retries=0, timeout=20, **target)
    except Exception as error:
        category = getattr(getattr(error, "category", None), "value", None)
        return decides_to_retry(error), " ".join(filter(None, [type(error).__name__, category]))
    return False, None if accepted(reply) else "finish_reason"


def accepted(reply):
    try:
        return reply.choices[0].finish_reason not in ("content_filter", "error")
    except (AttributeError, IndexError, TypeError):
        return True


ROUTER = litellm.Router(model_list=[{"model_name": "m", "litellm_params": {"model": "openai/m", "api_key": "k"}}])


def decides_to_retry(error):
    """The router's own decision, with one deployment that is healthy."""
    try:
        ROUTER.should_retry_this_error(error=error, healthy_deployments=[{}], all_deployments=[{}])
    except Exception:
        return False
    return True


def pipelex_verdict(entry, base):
    protocol = protocol_of(entry)
    try:
        if protocol == "anthropic":
            client = anthropic.Anthropic(api_key="k", base_url=base, max_retries=0, timeout=20)
            client.messages.create(model="m", max_tokens=16, messages=MESSAGES)
        elif protocol == "google":
            options = genai_types.HttpOptions(base_url=base, timeout=20_000)
            client = genai.Client(api_key="k", http_options=options)
            client.models.generate_content(model="m", contents="Say hello")
        else:
            client = openai.OpenAI(api_key="k", base_url=f"{base}/v1", max_retries=0, timeout=20)
            client.chat.completions.create(model="m", messages=MESSAGES)
    except Exception as error:
        extract = {
            "openai": extract_openai_metadata,
            "anthropic": extract_anthropic_metadata,
            "google": extract_google_metadata,
        }[protocol]
        found = classify_inference_error(extract(error), family=InferenceErrorFamily.LLM)
        category = getattr(found.category, "value", str(found.category))
        code = getattr(found.error_code, "value", str(found.error_code))
        return category == "transient", f"{category} {code}"
    return False, None


def main(path):
    with open(path, encoding="utf-8") as lines:
        entries = [json.loads(line) for line in lines if line.strip()]
    ENTRIES.update({entry["id"]: entry for entry in entries})
    server = ThreadingHTTPServer(("127.0.0.1", 0), Player)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for entry in entries:
        base = f"http://127.0.0.1:{server.server_port}/{entry['id']}"
        for system, verdict in (("litellm", litellm_verdict), ("pipelex", pipelex_verdict)):
            retries, named = verdict(entry, base)
            print(json.dumps({"id": entry["id"], "system": system, "retries": retries, "named": named}), flush=True)
    server.shutdown()


main(sys.argv[1])
