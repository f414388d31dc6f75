import { beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import * as api from "../../api/cache";
import * as client from "../../api/client";
import { Problem } from "../../api/problem";
import type { RunResult } from "../../api/types";
import { deliberation } from "../../test/deliberation";
import { button, click, render, settled } from "../../test/render";
import { synthesis } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { AskAnewContext } from "../again/anew";
import { Banner } from "./banner";
import { Offer } from "./offer";
import { earlierFrom } from "./words";

const told = {
  similarity: 0.97,
  exact: false,
  cached_query: "Why is the sky blue?",
  cache_id: "k1",
  created_at: "2025-11-12T09:00:00Z",
  hit_count: 2,
  cost_saved: 1.25,
  time_saved_ms: 41_000,
  own: true,
};
const cache = { mode: "offer", threshold: 0.92, cached: told } as const;
const earlier = earlierFrom(told);
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

describe("an offer", () => {
  let decide: MockInstance<typeof api.decide>;
  beforeEach(() => {
    decide = vi.spyOn(api, "decide").mockResolvedValue({ status: "ok", taken: true });
  });

  it("says to which question, how alike, when, and what it saves", async () => {
    const page = await render(<Offer runId="r1" earlier={earlier} until={inSeconds(41)} />);
    expect(page.querySelector("h3")?.textContent).toBe("You asked much the same before");
    expect(page.querySelector("blockquote")?.textContent).toBe("Why is the sky blue?");
    const facts = [...page.querySelectorAll(".facts li")].map((fact) => fact.textContent);
    expect(facts).toEqual([
      "Answered on November 12, 2025",
      "a very similar question (97% similar)",
      "saves $1.25 and 41.0 s",
      "used 2 times",
    ]);
    expect(page.querySelector('[role="timer"]')?.textContent).toMatch(/^In 4[01] s the council/);
  });

  it("is taken with a press, and only once", async () => {
    await render(<Offer runId="r1" earlier={earlier} until={inSeconds(41)} />);
    await click(button("Use that answer"));
    expect(decide).toHaveBeenCalledWith("r1", true);
    await click(button("Ask anyway"));
    expect(decide).toHaveBeenCalledTimes(1);
    expect(button("Taking it…")?.getAttribute("aria-disabled")).toBe("true");
  });

  it("that could not be answered says so, and can be answered once more", async () => {
    decide.mockRejectedValueOnce(new Problem("network", "No network."));
    const page = await render(<Offer runId="r1" earlier={earlier} until={null} />);
    await click(button("Ask anyway"));
    expect(page.querySelector('[role="alert"]')?.textContent).toBe(
      "Not decided: No network. Try again.",
    );
    decide.mockRejectedValueOnce(new Problem("refused", "not offered now", 409));
    await click(button("Ask anyway"));
    expect(page.querySelector('[role="alert"]')?.textContent).toContain("no longer offered");
    await click(button("Ask anyway"));
    expect(decide).toHaveBeenLastCalledWith("r1", false);
    expect(page.querySelector('[role="alert"]')).toBeNull();
  });

  it("counts no further than the server waits, whatever this computer's clock says", async () => {
    const timer = () => document.querySelector('[role="timer"]')?.textContent;
    await render(<Offer runId="r1" earlier={earlier} until={inSeconds(900)} />);
    expect(timer()).toBe("In 60 s the council is asked.");
    await render(<Offer runId="r1" earlier={earlier} until={inSeconds(-900)} />);
    expect(timer()).toBe("The council is asked any moment now.");
    expect(button("Use that answer")).toBeDefined();
  });

  it("of another person's answer tells nothing of them", async () => {
    const theirs = { ...earlier, own: false, question: null };
    const page = await render(<Offer runId="r1" earlier={theirs} until={null} />);
    expect(page.querySelector("h3")?.textContent).toBe("Much the same was asked before");
    expect(page.textContent).toContain("their question and their name are not shown");
  });

  it("stands at the head of a run that waits, and of no other", async () => {
    const slices = { cache: { status: "offered", told } };
    const waiting = { status: "running", runId: "r1", slices } as const;
    const page = await deliberation({}, synthesis(), waiting);
    await settled("You asked much the same before");
    expect(page.querySelector(".earlier-offer")).not.toBeNull();
    await deliberation({}, synthesis(), { ...waiting, status: "complete" });
    expect(page.querySelector(".earlier-offer")).toBeNull();
  });
});

describe("an answer that was used again", () => {
  it("says so above it, with a way to the council", async () => {
    const asked = vi.fn();
    const page = await render(
      <AskAnewContext value={asked}>
        <Banner earlier={earlier} />
      </AskAnewContext>,
    );
    expect(page.textContent).toContain("Answered on November 12, 2025, for “Why is the sky blue?”");
    expect(page.textContent).toContain(
      "A very similar question (97% similar) · saved $1.25 and 41.0 s",
    );
    expect(page.querySelector("a")?.getAttribute("href")).toBe("/answers");
    await click(button("Ask anyway"));
    expect(asked).toHaveBeenCalledWith({ use_cache: false });
  });

  it("leads to its conversation, and says when that was deleted", async () => {
    const run = vi.spyOn(client.api, "run");
    run.mockRejectedValueOnce(new Problem("refused", "Run not found", 404));
    const page = await render(
      <>
        <Banner earlier={{ ...earlier, runId: "r7" }} />
        <Toasts />
      </>,
    );
    expect(button("Ask anyway")).toBeUndefined();
    await click(button("Open that conversation"));
    expect(page.textContent).toContain("That conversation was deleted.");
    run.mockResolvedValueOnce({ conversation_id: "c7" } as RunResult);
    await click(button("Open that conversation"));
    expect(location.pathname).toBe("/c/c7");
    expect(run).toHaveBeenLastCalledWith("r7");
  });

  it("of another person has no way to them", async () => {
    const page = await render(<Banner earlier={{ ...earlier, own: false, question: null }} />);
    expect(page.querySelector("a, button")).toBeNull();
    expect(page.textContent).toContain("for another person");
  });

  it("is shown like any other", async () => {
    const page = await deliberation({ cache: { ...cache, outcome: "hit" } });
    await settled("Answered on November 12, 2025");
    expect(page.querySelector(".final")?.textContent).toContain("Together: so it is.");
    const banner = page.querySelector(".earlier-banner");
    const final = page.querySelector(".final");
    expect(banner && final && banner.compareDocumentPosition(final)).toBe(
      Node.DOCUMENT_POSITION_FOLLOWING,
    );
  });
});

describe("a question without an earlier answer", () => {
  it("has no more of it than a folded line that says why", async () => {
    const stored = { cache_id: "k2", embedding_method: "api", cache_size: 1 } as const;
    const page = await deliberation({
      cache: { mode: "offer", threshold: 0.92, outcome: "miss", reason: "empty", stored },
    });
    expect(page.querySelector(".earlier-banner")).toBeNull();
    await click(button("Reuse earlier answers"));
    await settled("No answer was kept yet for this format");
    expect(page.textContent).toContain("This answer is kept for later questions like it.");
  });
});
