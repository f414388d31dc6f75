import { act } from "react";
import { describe, expect, it, vi } from "vitest";
import type { CouncilEvent } from "../../api/types";
import { newRun } from "../../run/state";
import { deliberation } from "../../test/deliberation";
import { button, click, settled } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { found, runAfter } from "../../test/sources";
import { publishedOn, webAddress } from "../citing/address";
import { finalMarkdown, toMarkdown } from "../export/markdown";
import { fromStored, reduceAll } from "../reducer";
import { sourcesOf } from "./state";

const [first = { model: "", member: "" }, second = first] = seats;
const final = synthesis({
  response: "So it is [1], not [9].",
  citations: { cited: [1], unknown: [9] },
});
const answers = [
  answer(first, { response: "Yes [2].", citations: { cited: [2], unknown: [] } }),
  answer(second, { response: "No [1][2].", citations: { cited: [1, 2], unknown: [] } }),
];
const sources = [found(1), found(2, { published: "2025-03-14" }), found(3)];
const more = () => ({ answers: fromStored(storedRun(answers, [], final), "c1").answers });
const show = () => deliberation({ sources }, final, more());

describe("the sources of a run", () => {
  it("are gathered from whoever found them, each once", () => {
    const searched: CouncilEvent = {
      type: "web_search_complete",
      data: {
        query: "bees",
        found: true,
        error: null,
        answer: null,
        sources: [found(2), found(1)],
        simulated: false,
      },
    };
    const looked: CouncilEvent = {
      type: "react_observation",
      model: "cedar/pro",
      iteration: 1,
      observation: "",
      sources: [found(2), found(3)],
    };
    const run = reduceAll(newRun, runAfter([searched, looked]));
    expect(sourcesOf(run).map(({ n }) => n)).toEqual([1, 2, 3]);
  });

  it("are listed with who cites them, and what is cited of none is counted", async () => {
    const page = await show();
    expect(button("Sources")?.textContent).toContain("3 found · 2 cited · 1 number invented");
    await click(button("Sources"));
    await settled("Title 1");
    const [one, two] = [...page.querySelectorAll(".source")].map((entry) => entry.textContent);
    expect(one).toContain("Cited by the final answer, Basil");
    expect(two).toContain("Cited by large, Basil");
    expect(page.querySelector(".sources-invented")?.textContent).toContain("Final answer (1)");
    expect(page.textContent).toContain("Found, and not cited (1)");
    expect(page.querySelector(".final")?.textContent).toContain("not [9]");
  });

  it("are shown beside a number that has the focus, until Escape", async () => {
    const page = await show();
    const cite = page.querySelector<HTMLElement>(".final .cite");
    expect(cite?.getAttribute("aria-label")).toBe("Source 1: Title 1, site1.example");
    await act(async () => cite?.focus());
    await settled("In the list of sources");
    const link = page.querySelector(".source-card a");
    expect(link?.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    await act(async () => {
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    });
    expect(page.querySelector(".source-card")).toBeNull();
  });

  it("are where a number leads, folded or not", async () => {
    vi.stubGlobal("requestAnimationFrame", (run: () => void) => setTimeout(run, 5));
    Element.prototype.scrollIntoView = () => undefined;
    const page = await show();
    await click(page.querySelector(".final .cite"));
    await settled("Title 1");
    await vi.waitFor(() => expect(document.activeElement?.textContent).toBe("Title 1"));
  });

  it("go along with what is copied", () => {
    const message = storedRun(answers, [], final);
    const run = fromStored({ ...message, metadata: { ...message.metadata, sources } }, "c1");
    expect(finalMarkdown(run)).toBe(
      "So it is [1], not [9].\n\n## Sources\n\n- [1] Title 1 <https://site1.example/page>",
    );
    expect(toMarkdown("Bees?", run)).toContain("- [3] Title 3 <https://site3.example/page>");
  });
});

it("only addresses of the web are led to", () => {
  const refused = [
    "javascript:alert(1)",
    "data:text/html,x",
    "https://a:b@c.example/",
    "/x",
    "",
    "ftp://x",
  ];
  expect(refused.filter((one) => webAddress(one))).toEqual([]);
  expect(webAddress("https://example.org/a b")?.href).toBe("https://example.org/a%20b");
});

it("a date is read where it is one", () => {
  expect(publishedOn({ published: "2025-03-14T10:00:00Z" })).toBe("Mar 14, 2025");
  expect(publishedOn({ published: "3 days ago" })).toBe("3 days ago");
  expect(publishedOn({})).toBeNull();
});
