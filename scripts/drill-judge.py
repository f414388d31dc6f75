#!/usr/bin/env python3
"""Judges one round of drill-rolling-restart: what its clients saw, and what the models were asked.

    drill-judge.py FOLDER ROUND

Exits with 1 where a client did not get to its end, events are missing or came twice, a client met a status that it
cannot mend, or a call that had been answered whole was made again.
"""
import collections
import glob
import json
import sys

folder, name = sys.argv[1:]
clients, faults = [], []
for file in sorted(glob.glob(f"{folder}/client-{name}-*[0-9]")):
    text = open(file).read()
    if not text:
        faults.append(f"{file} gave up: {open(file + '.err').read()[-500:]}")
        continue
    clients.append(json.loads(text))
for client in clients:
    if client["end"] != "complete" or not client["gapless"]:
        faults.append(f"not whole: {client}")
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
print(f"  {len(clients)} questions, {runs} runs, {moved} of them moved; all complete, no event missing or twice: {not faults}")
print(f"  streams picked up by Last-Event-ID: {sum(client['picked_up'] for client in clients)}, "
      f"requests repeated: {sum(client['repeats'] for client in clients)}, statuses: {dict(sorted(statuses.items()))}")
print(f"  seconds for a run: median "
      f"{sorted(client['seconds'] for client in clients)[len(clients) // 2]}, longest "
      f"{max(client['seconds'] for client in clients)}; longest silence {max(client['silence'] for client in clients)}")
print(f"  calls to models: {calls}; cut off in the middle and made again: {broken}; answered whole and made again: {twice}")
if twice:
    faults.append(f"{twice} calls were paid twice")
print("\n".join(faults), file=sys.stderr)
sys.exit(1 if faults else 0)
