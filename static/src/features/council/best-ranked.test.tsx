import { act } from "react";
import { describe, expect, it } from "vitest";
import { deliberation } from "../../test/deliberation";
import { row, seats, synthesis } from "../../test/samples";

const [first, second] = seats as [(typeof seats)[0], (typeof seats)[0]];
const title = "Show the best-ranked answer";

/** Opens the part with this title, and gives what it holds. */
async function opened(page: HTMLElement, title: string): Promise<string> {
  const part = [...page.querySelectorAll("details")].find((one) => one.textContent === title);
  if (!part) throw new Error(`no “${title}”`);
  await act(async () => {
    part.open = true;
    part.dispatchEvent(new Event("toggle"));
  });
  return part.textContent ?? "";
}

describe("the best-ranked answer", () => {
  it("stands beside an answer that was written, with its member, its place and its votes", async () => {
    const aggregate_rankings = [row(second, { place: 1, voters: 3 }), row(first, { place: 2 })];
    const page = await deliberation({ aggregate_rankings });
    expect(page.textContent).not.toContain("2 of 3 first places");
    const text = await opened(page, title);
    expect(text).toContain("Basil: average place 1, 2 of 3 first places.");
    expect(text).not.toContain("share");
    expect(text).toContain("Basil says so.");
  });

  it("says who shares its place", async () => {
    const shared = { place: 1, first_place_votes: 1.5, voters: 3 };
    const aggregate_rankings = [row(second, shared), row(first, shared)];
    const text = await opened(await deliberation({ aggregate_rankings }), title);
    expect(text).toMatch(/Basil, .* share the first place\./);
  });

  it("is not there where the final answer is a member's own, or nobody was ranked", async () => {
    const own = synthesis({ selected_member: "Basil", response: "Basil says so." });
    const aggregate_rankings = [row(second, { place: 1 })];
    expect((await deliberation({ aggregate_rankings }, own)).textContent).not.toContain(title);
    expect((await deliberation({ aggregate_rankings: [] })).textContent).not.toContain(title);
  });
});

describe("what only one member saw", () => {
  const notes = { agreements: [], contradictions: [], none_covered: [], minority: [] };
  const only_one = ["a roof [KEPT: it rains]", "a boat [LEFT OUT]", "a hat"];

  it("says what became of it, and why", async () => {
    const only_one_ideas = [
      { text: "a roof", kept: true, why: "it rains" },
      { text: "a boat", kept: false, why: "" },
      { text: "a hat", kept: null, why: "" },
    ];
    const disagreement = { ...notes, only_one, only_one_ideas };
    const page = await deliberation({}, synthesis({ disagreement }));
    const text = await opened(page, "Where the members agree and differ");
    expect(text).toContain("a roof kept it rains");
    expect(text).toContain("a boat left out");
    expect(text).toContain("a hat");
    expect(text).not.toContain("[KEPT");
  });

  it("of an older server is shown as it was written", async () => {
    const page = await deliberation(
      {},
      synthesis({ disagreement: { ...notes, only_one, only_one_ideas: [] } }),
    );
    expect(await opened(page, "Where the members agree and differ")).toContain("a boat [LEFT OUT]");
  });
});
