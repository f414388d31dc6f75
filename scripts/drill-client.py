#!/usr/bin/env python3
"""One client of a drill, a user of its own (its label): asks a question and follows its run to the end, as the API asks of clients.

    drill-client.py BASE LABEL

A question that is refused (503, 502, 504, no connection) is sent again with the same Idempotency-Key; a stream that
ends before its run does is followed by Last-Event-ID. Prints one line of JSON: the run, how it ended, how often the
question was repeated and the stream was picked up, every status seen, the longest silence in seconds, whether the
events were 1, 2, 3, … without a gap or a repeat, each stage's result among them once, and the number and type of every
event but tokens. Where another server goes on with a run, 100,000 numbers are left out (ADR 4): that is counted as
`moved` and is no gap. Exits with 1, and says why in `fault`, where the client could not get to the end in 240 s.
"""
import http.client
import json
import sys
import time
import uuid
from urllib.parse import urlsplit

BASE, LABEL = urlsplit(sys.argv[1]), sys.argv[2]
END = time.monotonic() + 240
ENDS = {"complete", "error", "cancelled"}
RESULTS = ["stage1_complete", "stage2_complete", "stage3_complete"]
key = str(uuid.uuid4())
seen = {"label": LABEL, "run": None, "end": None, "repeats": 0, "picked_up": 0, "statuses": {}, "silence": 0.0, "moved": 0,
        "gapless": True, "events": []}
last = 0
results = []


def request(method, path, body=None, headers=None):
    """One request and its answer, or None where the connection failed."""
    connection = http.client.HTTPConnection(BASE.hostname, BASE.port, timeout=60)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"content-type": "application/json", "remote-user": LABEL, **(headers or {})})
        answer = connection.getresponse()
        status = str(answer.status)
    except (OSError, http.client.HTTPException):
        answer, status = None, "none"
    seen["statuses"][status] = seen["statuses"].get(status, 0) + 1
    return answer


def mended(send):
    """Sends until it is taken."""
    while time.monotonic() < END:
        answer = send()
        if answer is not None and answer.status < 300:
            return answer
        if answer is not None and answer.status not in (502, 503, 504):
            give_up(f"{answer.status} {answer.read()[:300]}")
        seen["repeats"] += 1
        # HAProxy's own refusals do not say when.
        time.sleep(float((answer is not None and answer.headers["retry-after"]) or 0.5))
    give_up("not taken in time")


def give_up(why):
    print(json.dumps({**seen, "fault": why}))
    raise SystemExit(1)


def read(answer):
    """Reads one stream until it breaks or the run's end is seen."""
    global last
    number, data, at = None, None, time.monotonic()
    try:
        for line in answer:
            now = time.monotonic()
            seen["silence"] = max(seen["silence"], now - at)
            at = now
            line = line.decode().rstrip("\n")
            if line.startswith("id: "):
                number = int(line[4:])
            elif line.startswith("data: "):
                data = json.loads(line[6:])
            elif not line and data is not None:
                # Only a whole event counts; one without a number (server_shutdown) is about the connection.
                if number is not None:
                    moved = number - last > 50_000
                    seen["moved"] += moved
                    seen["gapless"] &= moved or number == last + 1
                    last = number
                    if not data["type"].endswith("token"):
                        seen["events"].append([number, data["type"]])
                if data["type"] in RESULTS:
                    results.append(data["type"])
                if data["type"] in ENDS:
                    seen["end"] = data["type"]
                    return
                number, data = None, None
    except (OSError, http.client.HTTPException, ValueError):
        pass


conversation = json.loads(mended(lambda: request("POST", "/api/conversations", {})).read())["id"]
stream = mended(lambda: request(
    "POST", f"/api/conversations/{conversation}/message/stream", {"content": f"This is question {LABEL}: why?"},
    {"idempotency-key": key}))
seen["run"] = stream.headers["x-run-id"]
began = time.monotonic()
read(stream)
while seen["end"] is None and time.monotonic() < END:
    seen["picked_up"] += 1
    left = time.monotonic()
    read(mended(lambda: request("GET", f"/api/runs/{seen['run']}/events", None, {"last-event-id": str(last)})))
seen["gapless"] &= sorted(results) == RESULTS
seen["seconds"] = round(time.monotonic() - began, 2)
seen["silence"] = round(seen["silence"], 2)
print(json.dumps(seen))
sys.exit(0 if seen["end"] == "complete" and seen["gapless"] else 1)
