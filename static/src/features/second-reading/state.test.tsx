import { describe, expect, it } from "vitest";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { render } from "../../test/render";
import { answer, review, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { describeRun } from "../council/describe";
import { fromStored, reduceAll } from "../reducer";
import { SecondReadingNote } from "./note";
import type { SecondReading } from "./state";

const answers = seats.map((seat) => answer(seat));
const first = seats.map((seat) => review(seat));
const both = seats.map((seat) =>
  review(seat, { second: review(seat), first_tiers: [["Response A"]] }),
);
const all = wholeRun(answers, both, synthesis());
const end = all.findIndex((event) => event.type === "stage2_complete");
const before = wholeRun(answers, first, synthesis()).slice(0, end);
const info: SecondReading = {
  held: true,
  reason: "The first ballots have no sole winner.",
  reason_fact: { code: "no_sole_winner" },
};
const again: CouncilEvent[] = [
  { type: "second_reading_start", members: seats, data: info, started_at: null },
  ...seats.map(
    (seat): CouncilEvent => ({
      type: "second_reading_model_complete",
      model: seat.model,
      member: seat.member,
      data: review(seat),
    }),
  ),
];

describe("a second reading", () => {
  it("has the reviewers at work again, and their first reviews stay", () => {
    const run = reduceAll(newRun, [...before, ...again.slice(0, 1)]);
    expect(describeRun(run)).toBe("Stage 2: the answers are read again in the reverse order.");
    expect(run.reviews.map(({ status, result }) => [status, result?.counts])).toEqual(
      seats.map(() => ["writing", true]),
    );
    const read = reduceAll(run, again.slice(1));
    expect(read.reviews.every(({ status, result }) => status === "done" && result?.second)).toBe(
      true,
    );
  });

  it("looks the same once it is stored", () => {
    const told = all
      .slice(end)
      .map((event) =>
        event.type === "stage2_complete"
          ? { ...event, metadata: { ...event.metadata, second_reading: info } }
          : event,
      );
    const message = storedRun(answers, both, synthesis());
    const stored = { ...message, metadata: { ...message.metadata, second_reading: info } };
    expect(fromStored(stored, "c1")).toEqual(reduceAll(newRun, [...before, ...again, ...told]));
  });

  it("of a newer or older server may lack fields without breaking the page", () => {
    const bare = again.flatMap(({ type }) => readEvent(JSON.stringify({ type })) ?? []);
    expect(bare.length).toBeGreaterThan(1);
    expect(() => reduceAll(newRun, [...before, ...bare])).not.toThrow();
  });

  it("is said where it was not held, too", async () => {
    const agreed: SecondReading = {
      held: false,
      reason: "As the server wrote it.",
      reason_fact: { code: "agreed", agreement: 0.75, needed: 0.5 },
    };
    const message = storedRun(answers, first, synthesis());
    const metadata = { ...message.metadata, second_reading: agreed };
    const run = fromStored({ ...message, metadata }, "c1");
    const page = await render(<SecondReadingNote run={run} />);
    expect(page.textContent).toContain("read once The first ballots agree to 0.75");
  });
});
