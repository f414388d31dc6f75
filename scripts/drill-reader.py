#!/usr/bin/env python3
"""Asks questions of a server in every format that it has, and compares what two versions read in one database.

    drill-reader.py ask BASE LABEL          asks one question in each format; prints how each was answered
    drill-reader.py ask BASE LABEL older    the same of an older version: it may not have every format
    drill-reader.py begin BASE LABEL        asks one more, and prints its run once every member has answered
    drill-reader.py end BASE RUN            waits until this run is over, and prints its status
    drill-reader.py keep BASE FILE          keeps every conversation but those with a run under way
    drill-reader.py compare BASE FILE       compares each of them with what was kept, but for fields that are new
    drill-reader.py back BASE FILE          the same by an older version: it may lack newer fields that say nothing

Exits with 1 where a question is not answered, or a conversation reads otherwise.
"""
import hashlib
import json
import sys
import time
import urllib.error
import urllib.request

command, BASE, *rest = sys.argv[1:]
FORMATS = {
    "council": {},
    "council with refinement": {"use_refinement": True},
    "council with an adversary": {"use_adversary": True},
    "debate": {"mode": "debate"},
    "debate of all with all": {"mode": "debate", "debate_style": "all_to_all"},
    "arena": {"mode": "arena"},
    "decomposition": {"mode": "decomposition"},
}


def request(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(
        urllib.request.Request(BASE + path, data, {"content-type": "application/json"}, method=method), timeout=120)


def conversation():
    return json.load(request("POST", "/api/conversations", {}))["id"]


def ask(label, version="this"):
    wrong = 0
    for number, (name, options) in enumerate(FORMATS.items()):
        path = f"/api/conversations/{conversation()}/message"
        try:
            answer = json.load(request("POST", path, {"content": f"This is question {label}-{number}: why?", **options}))
            print(f"    {name}: {answer.get('status', 'complete')}")
            wrong += answer.get("status", "complete") != "complete"
        except urllib.error.HTTPError as error:
            problem = error.read().decode()
            # An older version that does not have the format says so at the door. All of them have the council.
            is_unknown = error.code == 422 and version == "older" and name != "council"
            print(f"    {name}: {'not in this version' if is_unknown else f'{error.code} {problem[:160]}'}")
            wrong += not is_unknown
    sys.exit(wrong > 0)


def begin(label):
    body = {"content": f"This is question {label}: why?"}
    with request("POST", f"/api/conversations/{conversation()}/message/stream", body) as stream:
        for line in stream:
            if b'"type":"stage1_complete"' in line:
                print(stream.headers["x-run-id"])
                return


def end(run):
    until = time.monotonic() + 120
    while time.monotonic() < until:
        status = json.load(request("GET", f"/api/runs/{run}"))["status"]
        if status not in ("queued", "running"):
            print(status)
            sys.exit(status != "complete")
        time.sleep(0.5)
    print(f"still {status} after two minutes")
    sys.exit(1)


def conversations():
    found, offset = [], 0
    while page := json.load(request("GET", f"/api/conversations?limit=100&offset={offset}")):
        found += page
        offset += len(page)
    return {one["id"]: json.load(request("GET", f"/api/conversations/{one['id']}")) for one in found}


def is_over(one):
    return all(message.get("status") not in ("queued", "running") for message in one["messages"])


def within(new, old):
    """`new` without the fields that `old` does not have."""
    if isinstance(new, dict) and isinstance(old, dict):
        return {key: within(value, old[key]) for key, value in new.items() if key in old}
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        return [within(one, other) for one, other in zip(new, old)]
    return new


def without_unknown(old, new):
    """What was kept, without fields that the version which reads now does not have and that say nothing."""
    if isinstance(old, dict) and isinstance(new, dict):
        known = {key: one for key, one in old.items() if key in new or one not in (False, None, "", [], {})}
        return {key: without_unknown(one, new.get(key)) for key, one in known.items()}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [without_unknown(one, other) for one, other in zip(old, new)]
    return old


def rounded(value):
    """Numbers without their last digits: versions have read those of a stored number differently."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.13g}") if isinstance(value, float) else value


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def differences(old, new, path=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old:
            yield from differences(old[key], new.get(key, "(missing)"), f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new)):
            yield from differences(one, other, f"{path}[{number}]")
    elif old != new:
        yield f"{path}: {json.dumps(old)[:100]} is now {json.dumps(new)[:100]}"


def added(old, new, path=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in new:
            if key not in old:
                yield f"{path}.{key}".lstrip(".")
            else:
                yield from added(old[key], new[key], f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        for one, other in zip(old, new):
            yield from added(one, other, f"{path}[]")


def keep(file):
    kept = {id: one for id, one in conversations().items() if is_over(one)}
    json.dump(kept, open(file, "w"))
    print(f"  {len(kept)} conversations, {sum(len(one['messages']) for one in kept.values())} messages")


def names(fields):
    """Each with how often it stands in another place, by its last word."""
    last = {}
    for field in fields:
        last.setdefault(field.rsplit(".", 1)[-1], []).append(field)
    return ", ".join(f"{name} ({len(places)} places)" if len(places) > 1 else places[0] for name, places in sorted(last.items())) or "none"


def compare(file, is_older=False):
    kept, now, wrong, digits, fields = json.load(open(file)), conversations(), 0, 0, set()
    for id, old in kept.items():
        new = now.get(id)
        if is_older and new is not None:
            old = without_unknown(old, new)
        if new is not None and digest(rounded(within(new, old))) == digest(rounded(old)):
            fields.update(added(old, new))
            digits += digest(within(new, old)) != digest(old)
            continue
        wrong += 1
        print(f"  {id} reads otherwise:", *list(differences(old, new or {}))[:5], sep="\n    ")
    print(f"  {len(kept)} conversations, {len(kept) - wrong} with the same hash ({digits} of them but for a number's 14th digit and on); fields that are new: {names(fields)}")
    sys.exit(wrong > 0)


{"ask": ask, "begin": begin, "end": end, "keep": keep, "compare": compare, "back": lambda file: compare(file, is_older=True)}[command](*rest)
