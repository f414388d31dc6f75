/**
 * The terminal folds the same events in Rust (`src/terminal/live`). Both are held to what is written beside each
 * recorded stream: what changed with every event, and the stored message's state last. `UPDATE_STREAMS=1` writes it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AssistantMessage, CouncilEvent } from "../api/types";
import { newRun } from "../run/state";
import { type Change, changeOf, type Flat, flat, projectionOf } from "../test/projection";
import { fromStored, reduce } from "./reducer";

const folder = join(import.meta.dirname, "../../../tests/it/fixtures/streams");
const names = readdirSync(folder)
  .filter((file) => /^[a-z0-9-]+\.jsonl$/.test(file))
  .map((file) => file.replace(".jsonl", ""));

const lines = <T>(file: string): T[] =>
  readFileSync(join(folder, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);

function changesOf(name: string): Change[] {
  const changes: Change[] = [];
  const empty = flat(projectionOf(newRun));
  let before: Flat = empty;
  let run = newRun;
  for (const event of lines<CouncilEvent>(`${name}.jsonl`)) {
    run = reduce(run, event);
    const after = flat(projectionOf(run));
    changes.push(changeOf(before, after));
    before = after;
  }
  const stored = `${name}.message.json`;
  if (existsSync(join(folder, stored))) {
    const [message] = lines<AssistantMessage>(stored);
    // A message does not say which conversation it belongs to.
    if (message) changes.push(changeOf(empty, flat(projectionOf(fromStored(message, "c1")))));
  }
  return changes;
}

describe.each(names)("the stream %s", (name) => {
  it("comes to the states that the terminal comes to, event by event", () => {
    const changes = changesOf(name);
    const file = `${name}.states.jsonl`;
    if (process.env.UPDATE_STREAMS) {
      const text = changes.map((change) => `${JSON.stringify(change)}\n`).join("");
      writeFileSync(join(folder, file), text);
    }
    const expected = lines<Change>(file);
    changes.forEach((change, at) => {
      expect({ event: at + 1, ...change }).toEqual({ event: at + 1, ...expected[at] });
    });
    expect(changes).toHaveLength(expected.length);
  });
});
