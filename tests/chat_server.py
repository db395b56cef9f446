"""A small test server that speaks the chat protocol, without a model or a network."""

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def first_action(messages):
    """Answer with the example action from the question, like a model that knows nothing."""
    question = messages[1]["content"].rpartition("Question: ")[2]
    listed = re.search(r"^(?:Example|Actions): (.+?)(?:, [^ ]+ .*|\.|$)", question, re.M)
    return f"Let me see. [[{listed[1] if listed else 'yes'}]]"


@contextmanager
def chat_server(answer=first_action, failures=0, other=None):
    """Yield the address of a running server and the list of requests that it has received.

    The first ``failures`` requests fail as if the server were busy. ``other`` is the content type
    and text of every answer, to imitate a server that does not speak the protocol.
    """
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append({**body, "path": self.path, "key": self.headers["Authorization"]})
            if len(requests) <= failures:
                self.send(503, "application/json", json.dumps({"error": {"message": "busy"}}))
            elif other:
                self.send(200, *other)
            elif body.get("stream"):
                self.send(200, "text/event-stream", "".join(self.chunks(body)))
            else:
                self.send(200, "application/json", json.dumps(self.completion(body)))

        def send(self, status, kind, content):
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content.encode())))
            self.send_header("retry-after-ms", "1")
            self.end_headers()
            self.wfile.write(content.encode())

        def chunks(self, body):
            whole = self.completion(body) | {"object": "chat.completion.chunk"}
            (choice,) = whole["choices"]
            delta = {"index": 0, "finish_reason": None, "delta": choice["message"]}
            end = {"index": 0, "finish_reason": "stop", "delta": {}}
            for part in (
                {**whole, "choices": [delta], "usage": None},
                {**whole, "choices": [end], "usage": None},
                {**whole, "choices": []},
            ):
                yield f"data: {json.dumps(part)}\n\n"
            yield "data: [DONE]\n\n"

        def completion(self, body):
            text = answer(body["messages"])
            return {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": body["model"],
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "stop",
                        "message": {"role": "assistant", "content": text},
                    }
                ],
                "usage": {"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105},
            }

        def log_message(self, *_):
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
