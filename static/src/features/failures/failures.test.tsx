import { afterEach, describe, expect, it } from "vitest";
import { showLanguage } from "../../i18n";
import de from "../../i18n/de.json";
import { newRun, type RunState } from "../../run/state";
import { render } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { Deliberation } from "../council/deliberation";
import { notesOf } from "../council/notes";
import { fromStored } from "../reducer";
import { CallFailure } from "./call-failure";
import { runFailure } from "./run-failure";

afterEach(() => showLanguage("en"));

const raw = 'gate refused the server\'s key (HTTP 401): {"error": "no"}';

const failedBy = (...kinds: ("auth" | "overloaded")[]): RunState => {
  const answers = seats.map((seat, at) =>
    answer(seat, { response: "", error: raw, error_kind: kinds[at] ?? "auth" }),
  );
  const message = storedRun(answers, [], synthesis());
  return {
    ...fromStored(
      { ...message, stage3: null, status: "failed", error: "No model answered." },
      "c1",
    ),
    errorKind: "no_answers",
  };
};

describe("a run in which nobody answered", () => {
  it("says why in one sentence, and what to do, where all failed alike", () => {
    expect(runFailure(failedBy("auth", "auth"))).toEqual({
      what: "No model answered: the provider refused the server's key.",
      advice: "Whoever runs this server has to check the key that it uses there.",
    });
    expect(runFailure(failedBy("auth", "overloaded"))).toEqual({
      what: "No model answered.",
      advice: "Each answer below says why.",
    });
  });

  it("shows what the provider said only to whoever opens it", async () => {
    const page = await render(
      <Deliberation
        question="Why?"
        run={failedBy("auth", "auth")}
        live={null}
        latest
        onReattach={() => undefined}
      />,
    );
    expect(page.textContent).not.toContain("HTTP");
    expect(page.querySelectorAll(".failure").length).toBe(seats.length);
    const details = page.querySelector<HTMLDetailsElement>(".failure details");
    expect(details?.textContent).toBe("What the server noted");
  });
});

it("a run that another fault ended names it, and one of an older server keeps its sentence", () => {
  const run = { ...newRun, status: "failed" as const, error: "the pipe is blocked." };
  expect(runFailure({ ...run, errorKind: "internal" }).what).toBe(
    "A fault of this server ended the run.",
  );
  expect(runFailure(run).what).toBe("The pipe is blocked.");
});

// The server calls every 5xx "overloaded"; a 500 says nothing of load.
it.each([
  ["en", "The provider failed"],
  ["de", "Störung beim Anbieter"],
] as const)(
  "a provider's 500 is headed as its failure, not as overload, in %s",
  async (code, heading) => {
    showLanguage(code, code === "de" ? de : undefined);
    const page = await render(
      <CallFailure
        kind="overloaded"
        fact={null}
        text="gate failed to answer (HTTP 500)"
        otherwise="No answer"
      />,
    );
    expect(page.querySelector(".failure > strong")?.textContent).toBe(heading);
    expect(page.textContent).not.toMatch(/overload|überlast/i);
  },
);

it("a call that was stopped says why, without the server's words", async () => {
  const page = await render(
    <CallFailure
      kind="cancelled"
      fact={{ code: "went_on_without", answers: 1 }}
      text="stopped: the council went on without it after one answer"
      otherwise=""
    />,
  );
  expect(page.textContent).toBe("StoppedThe council went on without it after 1 answer.");
});

it("what an older server stored without a code is folded, and marked as English", async () => {
  const text = "stopped: the council went on without it after one answer";
  const page = await render(<CallFailure kind="cancelled" fact={null} text={text} otherwise="" />);
  expect(page.querySelector("details")?.textContent).toBe("What the server noted");
});

it("notes name members as people do, and one without a code stays as it was written", () => {
  const reason = { error_kind: "timeout" as const, error: "no answer came in time" };
  const notes = ["acme/one gave no answer: no answer came in time."];
  const note_facts = [{ code: "no_answer" as const, member: "acme/one", reason }];
  expect(notesOf({ notes, note_facts })[0]?.said).toBe(
    "one gave no answer: no answer came in time.",
  );
  expect(notesOf({ notes })).toEqual([{ text: notes[0], said: null }]);
});

it("an answer that nobody could write is not shown as one", () => {
  const final = synthesis({
    response: "Error: Unable to generate final synthesis.",
    heading_fact: { code: "no_answer" },
    error: raw,
    error_kind: "auth",
  });
  const run = fromStored(storedRun([], [], final), "c1");
  expect(run.synthesis).toMatchObject({ status: "failed", text: "" });
});
