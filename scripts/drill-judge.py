#!/usr/bin/env python3
"""Judges one round of a drill: what its clients saw, what the models were asked, and what the database knows of it.

    drill-judge.py FOLDER ROUND [--base URL] [--ledger FILE] [--lossy]

Exits with 1 where a client did not get to its end, events are missing or came twice, a client met a status that it
cannot mend, or a call that had been answered whole was made again. With --base also where a client was shown an event
(tokens apart) that the server there does not have in the run's log; with --ledger, lines of a run's id and how many
calls of it the ledger has, where a call was answered whole and is not in the ledger. --lossy only counts all that.
"""
import argparse
import collections
import glob
import json
import sys
import urllib.error
import urllib.request

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("round")
parser.add_argument("--base")
parser.add_argument("--ledger")
parser.add_argument("--lossy", action="store_true")
args = parser.parse_args()
folder, name = args.folder, args.round
clients, faults = [], []
for file in sorted(glob.glob(f"{folder}/client-{name}-*[0-9]")):
    text = open(file).read()
    if not text:
        faults.append(f"{file} gave up: {open(file + '.err').read()[-500:]}")
        continue
    clients.append(json.loads(text))
for client in clients:
    if client["end"] != "complete" or not client["gapless"]:
        faults.append(f"not whole: {({**client, 'events': len(client['events'])})}")
complete = sum(client["end"] == "complete" for client in clients)
statuses = collections.Counter()
for client in clients:
    statuses.update(client["statuses"])

asked = collections.defaultdict(list)
for line in open(f"{folder}/account"):
    entry = json.loads(line)
    if f"-{name}-" in (entry["question"] or ""):
        asked[entry["question"]].append(entry)
calls = sum(len(entries) for entries in asked.values())
broken = sum(not entry["whole"] for entries in asked.values() for entry in entries)
twice = 0
for question, entries in asked.items():
    whole = collections.Counter(entry["request"] for entry in entries if entry["whole"])
    twice += sum(count - 1 for count in whole.values())
runs = len({client["run"] for client in clients})
if runs != len(clients):
    faults.append(f"{len(clients)} clients, {runs} runs")

moved = sum(client["moved"] > 0 for client in clients)
if (moved > 0) != (name == "moving"):
    faults.append(f"{moved} runs changed their server")
print(f"  {len(clients)} questions, {runs} runs, {moved} of them moved, {complete} complete; all whole, no event missing or twice: {not faults}")
print(f"  streams picked up by Last-Event-ID: {sum(client['picked_up'] for client in clients)}, "
      f"requests repeated: {sum(client['repeats'] for client in clients)}, statuses: {dict(sorted(statuses.items()))}")
times = sorted(client["seconds"] for client in clients if "seconds" in client)
print(f"  seconds for a run: median {times[len(times) // 2]}, longest {times[-1]}; "
      f"longest silence {max(client['silence'] for client in clients)}")
print(f"  calls to models: {calls}; cut off in the middle and made again: {broken}; answered whole and made again: {twice}")
if twice:
    faults.append(f"{twice} calls were paid twice")


def logged(run, user):
    """The log of a run as the server tells it now; nothing where it knows no such run."""
    request = urllib.request.Request(f"{args.base}/api/runs/{run}/events?after=0", headers={"remote-user": user})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            events, number = set(), None
            for line in answer:
                line = line.decode().rstrip("\n")
                if line.startswith("id: "):
                    number = int(line[4:])
                elif line.startswith("data: "):
                    events.add((number, json.loads(line[6:])["type"]))
            return events
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise


if args.base:
    shown, missing, gone = 0, [], 0
    for client in clients:
        events = client["run"] and logged(client["run"], client["label"])
        gone += events is None
        shown += len(client["events"])
        missing += [(client["run"], *event) for event in client["events"] if tuple(event) not in (events or ())]
    print(f"  events shown, tokens apart: {shown}; not in the log now: {len(missing)}; accepted runs that are gone: {gone}")
    if missing or gone:
        faults.append(f"{len(missing)} events were lost: {missing[:5]}; {gone} runs are gone")

if args.ledger:
    ledger = dict(line.split() for line in open(args.ledger))
    labels = {client["label"]: client["run"] for client in clients}
    lost = {}
    for question, entries in asked.items():
        paid, known = sum(entry["whole"] for entry in entries), int(ledger.get(labels.get(question), 0))
        if paid != known:
            lost[question] = (paid, known)
    known = sum(int(ledger.get(run, 0)) for run in labels.values())
    print(f"  calls answered whole: {calls - broken}; in the ledger: {known}")
    if lost:
        faults.append(f"answered whole and in the ledger differ: {dict(list(lost.items())[:5])}")

print("\n".join(faults), file=sys.stderr)
sys.exit(1 if faults and not args.lossy else 0)
