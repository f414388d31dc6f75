import { describe, expect, it } from "vitest";
import { showLanguage } from "../i18n";
import de from "../i18n/de.json";
import { asProblem, problemOf } from "./problem";

const answer = (status: number, body: unknown, type = "application/problem+json") =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), {
    status,
    headers: { "content-type": type, "retry-after": "7" },
  });

describe("an answer", () => {
  it("that is good is no problem", async () => {
    expect(await problemOf(answer(200, [], "application/json"))).toBeNull();
  });

  it("means signed out when it is a 401 or a proxy's page", async () => {
    for (const response of [
      answer(401, {}),
      answer(200, "<!doctype html>", "text/html; charset=utf-8"),
    ]) {
      expect((await problemOf(response))?.kind).toBe("signed_out");
    }
  });

  it("means a restart when the server is away, and says how long to wait", async () => {
    const problem = await problemOf(answer(502, "<h1>Bad gateway</h1>", "text/html"));
    expect(problem).toMatchObject({ kind: "restarting", retryAfterMs: 7000 });
  });

  it.each([413, 429])(
    "of a proxy that lets nothing through (%i) is its refusal",
    async (status) => {
      const problem = await problemOf(answer(status, "<h1>Not through here</h1>", "text/html"));
      expect(problem).toMatchObject({ kind: "refused", status });
    },
  );

  it("of a server that is full is its refusal", async () => {
    const body = { type: "urn:llm-council:problem:full", detail: "Too many wait already." };
    const message = "Too many questions are waiting at this server. Try again in a moment.";
    expect(await problemOf(answer(503, body))).toMatchObject({ kind: "refused", message });
  });

  it.each([
    [503, "unavailable", "Der Server ist gerade nicht verfügbar."],
    [409, "held", "Für Ihre Daten gilt eine Löschsperre"],
    [409, "not-to-purge", "Nur ein gelöschtes Gespräch"],
    [409, "not-again", "lässt sich das nicht noch einmal fragen"],
    [409, "not-awaited", "Darauf wird nicht mehr gewartet"],
    [409, "erasure-under-way", "Alles, was Ihnen gehört, wird gerade gelöscht"],
  ])("%i for %s is said in the reader's language", async (status, type, words) => {
    showLanguage("de", de);
    const body = { type: `urn:llm-council:problem:${type}`, detail: "what the server says" };
    const problem = await problemOf(answer(status, body));
    showLanguage("en");
    expect(problem?.message).toContain(words);
  });

  it("names every wrong field, in the old form too", async () => {
    const fields = [{ field: "chairman_model", message: "must be a model id" }];
    const detail = [{ loc: ["body", "chairman_model"], msg: "must be a model id" }];
    expect((await problemOf(answer(422, { detail, errors: fields })))?.fields).toEqual(fields);
    expect((await problemOf(answer(422, { detail })))?.fields).toEqual(fields);
  });

  it("names the run that is in the way", async () => {
    const problem = await problemOf(answer(409, { detail: "There is a run.", run_id: "r1" }));
    expect(problem).toMatchObject({ kind: "refused", runId: "r1", message: "There is a run." });
  });

  it("that a budget forbids says which, what is left, when it starts anew and who can raise it", async () => {
    const budget = {
      scope: "user",
      name: "ann",
      period: "day",
      set_by: "admin",
      limit_usd: 0.5,
      spent_usd: 0.4,
      reserved_usd: 0,
      unknown_cost_calls: 0,
    };
    const type = "urn:llm-council:problem:budget-reached";
    const refused = await problemOf(answer(402, { type, budget, needed_usd: 0.2, detail: "No." }));
    expect(refused?.message).toBe(
      "Your budget for today is $0.50, and $0.10 of it is left. This question would cost about $0.20. An administrator can raise it.",
    );
    const own = { ...budget, set_by: "oneself", spent_usd: 0 };
    const unpriced = await problemOf(answer(402, { type, budget: own, needed_usd: null }));
    expect(unpriced?.message).toBe(
      "The cap you have set yourself for today is $0.50. What this question would cost is unknown. You can raise it in the settings.",
    );
  });

  it("to what a proxy says of somebody is a sentence for people, with what is for whoever runs the server", async () => {
    const type = "urn:llm-council:problem:identity-header";
    const detail = "the identity header Remote-Name has no usable value";
    expect((await problemOf(answer(400, { type, detail })))?.message).toBe(
      "The sign-in proxy says something about you that this server cannot use. Tell whoever runs this server: the identity header Remote-Name has no usable value.",
    );
  });

  it("that says nothing still gets a sentence", async () => {
    expect((await problemOf(answer(500, "oops", "text/plain")))?.message).toContain("500");
  });
});

it("a failed fetch is the network's fault, any other error is its own", () => {
  expect(asProblem(new TypeError("Failed to fetch")).kind).toBe("network");
  expect(asProblem(new Error("odd is not a function"))).toMatchObject({
    kind: "refused",
    message: "Something went wrong in this page. Try again, or reload it.",
  });
});
