"""A model for the pictures: answers a handful of questions by rule, as an OpenAI-compatible server would, in its own time."""

import http.server
import json
import threading
import time

NAME = "garden-1"


def call(name, notes="", **args):
    action = {"type": "tool_call", "name": name, "args": args}
    return {**action, "notes": [{"category": "plan", "content": notes}]} if notes else action


JAM = """About **14 jars** of 330 ml. Seven kilos of quinces give some 4.6 kg of jam with 3.5 kg of sugar.

| per kilo of quinces | |
|---|--:|
| sugar | 500 g |
| water | 400 ml |
| lemon | ½ |

I will remind you on Saturday at 9 to buy the sugar."""

# What it says to what, step by step; a step may be a function of the results so far.
PLAYS = {
    "How many jars": [
        call("compute.eval", "Work out the jam, set the reminder, answer.", expression="7 * 0.66 / 0.33"),
        call("reminders.set", text="buy 3.5 kg of sugar", when="saturday at 9"),
        {"type": "finish", "output": JAM},
    ],
    "Thanks": [{"type": "finish", "output": "With pleasure. The lemon goes in last: it keeps the colour."}],
    "When do quinces": [{"type": "finish", "output": "In the north bed: **mid-October**, when they turn from green to yellow and come off with a small twist. A light frost does no harm."}],
    "What is Mia": [
        call("memory.search", query="Mia"),
        {"type": "finish", "output": "Your sister Mia lives in **Ghent**. You wanted to send her two jars."},
    ],
    "What does the nursery": [
        call("web.fetch", "Read the list of the tree nursery, answer.", url="https://nursery.example/quinces"),
        {"type": "finish", "output": "The nearest one has it from November on."},
    ],
}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": NAME, "object": "model", "context_length": 64_000}]})

    def answer(self, body):
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        messages = asked["messages"]
        action = reply(messages)
        text = json.dumps(action, ensure_ascii=False)
        prompt = len(json.dumps(messages)) // 4
        time.sleep(0.35 + len(text) / 1500)
        usage = {"prompt_tokens": prompt, "completion_tokens": len(text) // 4,
                 "prompt_tokens_details": {"cached_tokens": prompt // 2 if len(messages) > 2 else 0}}
        base = {"id": "x", "object": "chat.completion", "created": 1, "model": NAME}
        if not asked.get("stream"):
            message = {"role": "assistant", "content": text}
            return self.answer({**base, "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        pieces = [text[at:at + 24] for at in range(0, len(text), 24)]
        events = [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
        events += [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]
        for event in events:
            self.wfile.write(f"data: {json.dumps({**base, 'object': 'chat.completion.chunk', **event})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def reply(messages):
    """The step that is due: as many as the model has already spoken."""
    try:
        asked = json.loads(messages[1]["content"])["input"]
    except (IndexError, KeyError, TypeError, ValueError):
        return {"operations": []}
    steps = next((steps for begin, steps in PLAYS.items() if asked.startswith(begin)), None)
    if steps is None:
        return {"type": "finish", "output": "I do not know that yet."}
    done = sum(1 for one in messages if one["role"] == "assistant")
    return steps[min(done, len(steps) - 1)]


class Model:
    def __init__(self, port=0):
        self.port = port

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def settings(self):
        """`bot.toml` with this model."""
        return f"""[engine]
planning_gate = "off"
time_zone = "Europe/Berlin"
record_prompts = true

[[llm.providers]]
name = "home"
kind = "openai"
base_url = "http://127.0.0.1:{self.server.server_port}/v1"
model = "{NAME}"
context_tokens = 64000
prompt_price = 0.6
cached_price = 0.06
completion_price = 2.4
"""
