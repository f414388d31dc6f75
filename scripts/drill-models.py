#!/usr/bin/env python3
"""A model server for drills that speaks OpenAI's chat completions, streams slowly, and keeps account.

    drill-models.py PORT ACCOUNT TOKENS TOKENS_PER_SECOND

Each request is one line of JSON in ACCOUNT when it ends: which question it belonged to (the text "question LABEL" in
its messages), a hash of the whole request, and whether the last token was sent. What was asked twice, and what was
paid in vain, is counted from there. What it writes are made-up words that are as often used as words are (Zipf), the same ones for
the same request, so that they take up about as much when they are compressed as what people read.
"""
import hashlib
import itertools
import json
import random
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT, ACCOUNT, TOKENS, SPEED = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
RANKING = "FINAL RANKING:\n1. Response A\n2. Response B\n3. Response C\n"
lock = threading.Lock()
LETTERS = random.Random(1)
WORDS = ["".join(LETTERS.choices("etaoinshrdlcumwfgypbvk", range(22, 0, -1), k=LETTERS.randint(2, 9))) + " " for _ in range(4000)]
OFTEN = list(itertools.accumulate(1 / (rank + 2) for rank in range(len(WORDS))))


class Models(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply({"object": "list", "data": [{"id": f"m{n}", "object": "model"} for n in range(1, 5)]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = json.dumps(body["messages"])
        label = re.search(r"question (\w+-\w+-\d+)", text)
        entry = {
            "question": label.group(1) if label else None,
            "request": hashlib.sha256((body["model"] + text).encode()).hexdigest()[:16],
            "whole": False,
        }
        words = random.Random(entry["request"]).choices(WORDS, cum_weights=OFTEN, k=TOKENS) + ["\n\n" + RANKING]
        usage = {"prompt_tokens": len(text) // 4, "completion_tokens": TOKENS, "total_tokens": len(text) // 4 + TOKENS}
        try:
            if body.get("stream"):
                self.stream(body["model"], words, usage)
            else:
                time.sleep(TOKENS / SPEED)
                message = {"role": "assistant", "content": "".join(words)}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                self.reply({"id": "c", "object": "chat.completion", "model": body["model"], "choices": [choice], "usage": usage})
            entry["whole"] = True
        except OSError:
            self.close_connection = True
        with lock, open(ACCOUNT, "a") as account:
            account.write(json.dumps(entry) + "\n")

    def stream(self, model, words, usage):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for word in words:
            self.event({"model": model, "choices": [{"index": 0, "delta": {"content": word}}]})
            time.sleep(1 / SPEED)
        self.event({"model": model, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage})
        self.chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def event(self, data):
        self.chunk(b"data: " + json.dumps({"id": "c", "object": "chat.completion.chunk", **data}).encode() + b"\n\n")

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def reply(self, value):
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


Server(("127.0.0.1", PORT), Models).serve_forever()
