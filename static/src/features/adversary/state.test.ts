import { afterEach, describe, expect, it } from "vitest";
import type { CouncilEvent, Schemas } from "../../api/types";
import { showLanguage } from "../../i18n";
import de from "../../i18n/de.json";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { answer, seats, storedRun, synthesis, wholeRun } from "../../test/samples";
import { say } from "../../ui/said";
import { describeRun } from "../council/describe";
import { answerBefore } from "../council/drafts";
import { fromStored, reduce, reduceAll } from "../reducer";
import { sentences } from "./facts";
import { adversaryOf } from "./state";

afterEach(() => showLanguage("en"));

const answers = seats.map((seat) => answer(seat));
const events = wholeRun(answers, [], synthesis({ response: "Draft." }));
const upToTheDraft = events.slice(
  0,
  events.findIndex((event) => event.type === "stage3_complete") + 1,
);
const drafted = reduceAll(newRun, upToTheDraft);

const adversary: Schemas["Adversary"] = {
  adversary_model: "eve/one",
  critique: "It harms.",
  has_issues: true,
  severity: "major",
  severity_from: "stated",
  revised: true,
  revision: "Careful draft.",
  total_cost: 0.002,
  unknown_cost_calls: 1,
};
const attack: CouncilEvent[] = [
  { type: "adversary_start", adversary_model: "eve/one" },
  { type: "adversary_token", model: "eve/one", content: "It " },
  { type: "adversary_token", model: "eve/one", content: "harms." },
  {
    type: "adversary_complete",
    model: "eve/one",
    critique: "It harms.",
    has_issues: true,
    severity: "major",
    severity_from: "stated",
    latency_ms: 5,
  },
];
const defence: CouncilEvent[] = [
  { type: "adversary_revision_start", chairman_model: "cedar/pro", severity: "major" },
  { type: "adversary_revision_token", model: "cedar/pro", content: "Careful" },
  {
    type: "adversary_revision_complete",
    model: "cedar/pro",
    response: "Careful draft.",
    latency_ms: 5,
  },
  {
    type: "adversary_validation_complete",
    issues_found: true,
    severity: "major",
    revised: true,
    final_response: "Careful draft.",
    total_cost: 0.002,
    unknown_cost_calls: 1,
  },
];

describe("the devil's advocate", () => {
  it("leaves the answer on the page until the revision is whole", () => {
    const judged = reduceAll(drafted, attack);
    expect(adversaryOf(judged)).toMatchObject({ critique: "It harms.", severity: "major" });
    const revising = reduceAll(judged, defence.slice(0, 2));
    expect(revising.synthesis.text).toBe("Draft.");
    expect(describeRun(revising)).toBe("Devil’s advocate: the answer is revised.");
    const done = reduceAll(revising, defence.slice(2));
    expect(done.synthesis.text).toBe("Careful draft.");
    expect(answerBefore("adversary", done)).toBe("Draft.");
  });

  it("that fails leaves the answer as it is, and says so", () => {
    const run = reduceAll(drafted, [
      ...attack.slice(0, 2),
      {
        type: "adversary_error",
        model: "eve/one",
        error: "gone",
        error_kind: "overloaded",
        critique: "It",
      },
    ]);
    expect(adversaryOf(run)).toMatchObject({ status: "done", critique: "It", severity: null });
    expect(say(sentences, adversaryOf(run)?.error?.fact)).toBe(
      "one could not attack the answer: the provider failed or could not be reached.",
    );
    expect(run.synthesis.text).toBe("Draft.");
  });

  it("begins a lost attack anew", () => {
    const again = reduce(reduceAll(drafted, attack.slice(0, 2)), {
      type: "call_restarted",
      stage: "adversary",
      model: "eve/one",
    });
    expect(adversaryOf(again)?.critique).toBe("");
  });

  it("looks the same once it is stored", () => {
    const live = reduceAll(drafted, [...attack, ...defence, ...events.slice(-2)]);
    const final = {
      ...synthesis({ response: "Careful draft." }),
      draft: "Draft.",
      truncated: false,
    };
    const message = storedRun(answers, [], final);
    const stored = { ...message, metadata: { ...message.metadata, adversary } };
    expect(fromStored(stored, "c1")).toEqual(live);
  });

  it("tells what failed in the reader's language, where it was stored with a code", async () => {
    showLanguage("de", de);
    const message = storedRun(answers, [], synthesis());
    const error = "eve/one could not attack the answer: no answer came in time";
    const reason = { error_kind: "timeout" as const, error: "no answer came in time" };
    const error_fact = { code: "not_attacked" as const, model: "eve/one", reason };
    message.metadata.adversary = { ...adversary, error, error_fact };
    const stored = adversaryOf(fromStored(message, "c1"))?.error;
    expect(say(sentences, stored?.fact)).toBe(
      "one konnte die Antwort nicht angreifen: es kam rechtzeitig keine Antwort.",
    );
    const older = storedRun(answers, [], synthesis());
    older.metadata.adversary = { ...adversary, error };
    expect(adversaryOf(fromStored(older, "c1"))?.error).toEqual({ text: error, fact: null });
  });

  it("of a newer or older server may lack fields without breaking the page", () => {
    const bare = [...attack, ...defence].flatMap(
      ({ type }) => readEvent(JSON.stringify({ type })) ?? [],
    );
    expect(bare.length).toBeGreaterThan(7);
    expect(() => reduceAll(drafted, bare)).not.toThrow();
  });
});
