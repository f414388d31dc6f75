import { describe, expect, it } from "vitest";
import type { CouncilEvent, Schemas } from "../../api/types";
import { newRun } from "../../run/state";
import { readEvent } from "../../stream/decode";
import { deliberation } from "../../test/deliberation";
import { button, click, settled } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { found, runAfter } from "../../test/sources";
import { describeRun } from "../council/describe";
import { fromStored, reduce, reduceAll } from "../reducer";
import { webSearchOf } from "./state";

const data: Schemas["WebSearch"] = {
  query: "How far?",
  found: true,
  error: null,
  answer: null,
  sources: [found(1), found(2)],
  simulated: false,
};
const start: CouncilEvent = { type: "web_search_start", query: "How far?" };
const events: CouncilEvent[] = [start, { type: "web_search_complete", data }];

describe("a web search", () => {
  it("looks the same live and stored", () => {
    const live = reduceAll(newRun, runAfter(events));
    const message = storedRun(
      seats.map((seat) => answer(seat)),
      [],
      synthesis(),
    );
    const stored = { ...message, metadata: { ...message.metadata, web_search: data } };
    expect(webSearchOf(live)).toEqual(webSearchOf(fromStored(stored, "c1")));
  });

  it("is said while it goes on, and ends with the run", () => {
    const run = reduce(newRun, start);
    expect(describeRun(run)).toBe("The web is searched.");
    expect(webSearchOf(reduce(run, { type: "cancelled" }))?.status).toBe("stopped");
  });

  it("opens to what was searched for, and to what was found", async () => {
    await deliberation({ web_search: data });
    expect(button("Web search")?.textContent).toContain("2 results");
    await click(button("Web search"));
    await settled("Searched for How far?");
    await settled("Title 2");
  });

  it("says above the answer that it found nothing", async () => {
    const page = await deliberation({ web_search: { ...data, found: false, sources: [] } });
    expect(page.querySelector(".final")?.textContent).toContain("The web search found nothing");
    expect(button("Web search")?.textContent).toContain("nothing found");
  });

  it("is read as far as it goes when fields are missing", () => {
    const bare = events.map(({ type }) => readEvent(JSON.stringify({ type })) as CouncilEvent);
    expect(() => reduceAll(newRun, bare)).not.toThrow();
  });
});
