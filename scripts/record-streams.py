#!/usr/bin/env python3
"""Records the events of simulated runs, one JSON a line, for the tests that fold them.

    llm-council serve --port 8001 --data-dir target/streams      # without a key: simulated models
    scripts/record-streams.py http://127.0.0.1:8001 [name ...]   # all, or these alone

Writes tests/it/fixtures/streams/<name>.jsonl, and <name>.message.json with the message as it is stored.
Pieces of a text that follow each other are joined, so that files stay small. The server's own settings
are changed (the chairman's fallback): take one that nobody uses. Streams that no simulated run gives are
written by hand and lie beside the recorded ones. After a recording:

    cd static && UPDATE_STREAMS=1 npx vitest run src/features/streams.test.ts
"""

import json
import pathlib
import sys
import urllib.request
import uuid

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/it/fixtures/streams"
# Two seats with the same model: only their names tell them apart.
MEMBERS = [{"model": "simulated/ada"}, {"model": "simulated/basil", "alias": "Basil"}, {"model": "simulated/cleo"}]
FAILING = [{"model": "simulated/ada"}, {"model": "simulated/fails"}, {"model": "simulated/cut"},
           {"model": "simulated/ada/reasons", "alias": "Thinker"}]
TWINS = [{"model": "simulated/ada", "alias": "One"}, {"model": "simulated/ada", "alias": "Two"}]
SLOW = [{"model": "simulated/ada"}, {"model": "simulated/basil"}, {"model": "simulated/slow"}]
SKY = "Why is the sky blue?"

THINKERS = [{"model": "simulated/ada/reasons"}, {"model": "simulated/basil"}]
PARTS = ("Compare Rust and Go for a web server: which one is faster, which one is easier to learn, and what does each "
         "cost to run in the long term?")

RUNS = {
    "council": {"verbosity": 3},
    "council-twins": {"models": TWINS},
    "council-failures": {"models": FAILING, "chairman_model": "simulated/cut", "verbosity": 2},
    "council-no-chairman": {"chairman_model": "simulated/fails", "fallbacks": ["simulated/fails2"], "models": TWINS},
    "council-nobody": {"models": [{"model": "simulated/fails"}, {"model": "simulated/fails2"}]},
    "quorum": {"models": SLOW, "quorum": 2},
    "polish": {"use_refinement": True, "use_adversary": True, "refinement_max_iterations": 1},
    "react": {"use_react": True, "models": TWINS},
    "chairmen": {"use_multi_chairman": True, "models": TWINS},
    "escalation": {"use_escalation": True, "models": None, "use_cot": True},
    "escalated": {"use_escalation": True, "models": None, "config": {"escalation_confidence_threshold": 9.5}},
    "early-consensus": {"use_early_consensus": True},
    "agreed": {"use_early_consensus": True, "use_cot": True, "models": TWINS,
               "reviewer_models": [{"model": "simulated/eve"}]},
    "reasoning": {"models": THINKERS, "chairman_model": "simulated/chair/reasons"},
    "arena-reasoning": {"mode": "arena", "arena_rounds": 2, "models": THINKERS,
                        "chairman_model": "simulated/chair/reasons"},
    "merge-reasoning": {"mode": "decomposition", "models": TWINS, "content": PARTS,
                        "chairman_model": "simulated/chair/reasons"},
    "merge-failures": {"mode": "decomposition", "models": TWINS, "content": PARTS, "chairman_model": "simulated/fails"},
    "judgment-failures": {"mode": "debate", "models": TWINS, "chairman_model": "simulated/cut"},
    "arena-failures": {"mode": "arena", "arena_rounds": 2, "models": TWINS, "chairman_model": "simulated/cut"},
    "chairmen-failures": {"use_multi_chairman": True, "models": TWINS, "chairman_model": "simulated/chair",
                          "config": {"multi_chairman_models": ["simulated/fails", "simulated/ada"]}},
    "adversary-failure": {"use_adversary": True, "models": TWINS, "config": {"adversary_model": "simulated/fails"}},
    "adversary-cut": {"use_adversary": True, "models": TWINS, "config": {"adversary_model": "simulated/cut"}},
    "nothing-kept": {"use_cache": True, "models": FAILING[1:3], "content": "What is kept {salt}?"},
    "routing": {"use_dynamic_routing": True, "models": None, "content": "Write a function that sorts a list."},
    "word-for-word": {"final": "select"},
    "steps": {"use_cot": True, "models": TWINS},
    "jury": {"reviewer_models": [{"model": "simulated/eve"}, {"model": "simulated/fay"}],
             "use_second_reading": True},
    "debate": {"mode": "debate", "num_rounds": 3},
    "debate-failures": {"mode": "debate", "models": FAILING[:3], "include_rebuttal": False},
    "all-to-all": {"mode": "debate", "debate_style": "all_to_all", "debate_rounds": 2, "models": TWINS},
    "arena": {"mode": "arena", "arena_rounds": 2, "models": TWINS},
    "decomposition": {"mode": "decomposition", "models": TWINS,
                      "content": PARTS},
    "decomposition-skipped": {"mode": "decomposition", "models": TWINS, "content": "What is 2 + 2?"},
    "research": {"use_research": True, "models": TWINS},
    "search": {"use_web_search": True, "models": TWINS},
    "tools": {"use_tools": True, "models": TWINS},
    "cache-stored": {"use_cache": True, "models": TWINS, "content": "What is a semantic cache {salt}?"},
    "cache-hit": {"use_cache": True, "models": TWINS, "content": "What is a semantic cache {salt}?"},
    "cache-taken": {"use_cache": True, "cache_mode": "offer", "models": TWINS, "take": True,
                    "content": "What is a semantic cache {salt}?"},
    "cache-refused": {"use_cache": True, "cache_mode": "offer", "models": TWINS, "take": False,
                      "content": "What is a semantic cache {salt}?"},
    "cancelled": {"models": SLOW, "cancel_after": 12},
    "cancelled-debate": {"mode": "debate", "models": SLOW, "cancel_after": 14},
    "skipped": {"models": SLOW, "skip": "simulated/slow"},
}
# What belongs to the script and not to the request.
OWN = ("fallbacks", "config", "take", "cancel_after", "skip")
SALT = uuid.uuid4().hex[:6]
TEXTS = ("content", "token")
WHOLE_AT = 160


def call(base, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, {"content-type": "application/json"}, method=method)
    return urllib.request.urlopen(request, timeout=120)


def events(response):
    """The `data:` of each frame; the server writes it in one line."""
    for line in response:
        if line.startswith(b"data: "):
            yield json.loads(line[6:])


class Joined:
    """Pieces of the same text follow each other as one, up to WHOLE_AT characters; other events keep their order."""

    def __init__(self):
        self.out, self.held = [], {}

    def add(self, event):
        field = next((name for name in TEXTS if event["type"].endswith("token") and name in event), None)
        if field is None:
            self.flush()
            self.out.append(event)
            return
        key = json.dumps({name: value for name, value in event.items() if name != field}, sort_keys=True)
        held = self.held.setdefault(key, {**event, field: ""})
        held[field] += event[field]
        if len(held[field]) >= WHOLE_AT:
            self.out.append(self.held.pop(key))

    def flush(self):
        self.out += self.held.values()
        self.held = {}


def record(base, name):
    fields = {"content": SKY, "models": MEMBERS, **RUNS[name]}
    own = {key: fields.pop(key) for key in OWN if key in fields}
    config = {"chairman_fallbacks": own.get("fallbacks", ["simulated/basil"]), **own.get("config", {})}
    call(base, "PUT", "/api/config", config).close()
    fields["content"] = fields["content"].replace("{salt}", SALT)
    conversation = str(uuid.uuid4())
    body = {"new_conversation": True, **{key: value for key, value in fields.items() if value is not None}}
    joined, run, tokens = Joined(), None, 0
    with call(base, "POST", f"/api/conversations/{conversation}/message/stream", body) as response:
        for event in events(response):
            joined.add(event)
            run = event.get("run_id", run)
            tokens += event["type"].endswith("token")
            if event["type"] == "cache_offer":
                call(base, "POST", f"/api/runs/{run}/cache", {"take": own["take"]}).close()
            if own.get("cancel_after") == tokens:
                own.pop("cancel_after")
                call(base, "POST", f"/api/runs/{run}/cancel").close()
            if "skip" in own and tokens == 12:
                call(base, "POST", f"/api/runs/{run}/skip", {"member": own.pop("skip"), "stage": "stage1"}).close()
    joined.flush()
    write(FOLDER / f"{name}.jsonl", joined.out)
    with call(base, "GET", f"/api/conversations/{conversation}") as response:
        messages = json.load(response)["messages"]
    write(FOLDER / f"{name}.message.json", [messages[-1]])


def write(path, values):
    text = "".join(json.dumps(value, separators=(",", ":")) + "\n" for value in values)
    path.write_text(text)
    print(f"{path.name}: {len(values)} lines, {len(text) // 1000} kB")


def main():
    base = sys.argv[1].rstrip("/") if len(sys.argv) > 1 else "http://127.0.0.1:8001"
    names = sys.argv[2:] or list(RUNS)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in names:
        record(base, name)


if __name__ == "__main__":
    main()
