/** A bench’s table says in words what its figures mean. */
import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, it, vi } from "vitest";
import type { BenchView } from "../../api/bench";
import DashboardPage from "../../pages/dashboard";
import { button, click, render, settled } from "../../test/render";

const spent = (usd: number) => ({ usd, calls: 9, unpriced_calls: 0 });
const score = (right: number) => ({
  counted: 5,
  right,
  unreadable: 0,
  undecided: 0,
  failed: 0,
  ungraded: 0,
  accuracy: { value: right / 5, low: 0.23, high: 0.88 },
});
const difference = { value: 0.2, low: -0.31, high: 0.59 };

const view: BenchView = {
  id: "0199",
  created_at: "2026-11-23T03:00:00.000000",
  report: {
    name: "maths",
    status: "complete",
    questions: 5,
    done: 5,
    spent: spent(0.05),
    grading: spent(0.01),
    max_cost_usd: 1,
    simulated: false,
    variants: [
      {
        name: "council",
        kind: "council",
        done: 5,
        ...score(4),
        spent: spent(0.04),
        right_per_usd: 100,
        median_ms: 12_300,
        members: [{ member: "Ada", model: "m/one", ...score(3), spent: spent(0.005) }],
        against_best: { member: "Ada", questions: 5, only_council: 2, only_member: 1, difference },
        all_missed: { questions: 1, of: 5, council_right: 0 },
      },
    ],
  },
};

let shown: BenchView = view;
const council = view.report.variants[0];
if (!council?.against_best) throw new Error("the sample has a council");
const best = council.against_best;

beforeEach(() => {
  shown = view;
  vi.stubGlobal("fetch", (address: string) => {
    const report = shown.report;
    const one = {
      ...report,
      id: view.id,
      variants: 1,
      spent_usd: report.spent.usd,
      unpriced_calls: report.spent.unpriced_calls,
      created_at: view.created_at,
    };
    const body = /\/api\/bench\?/.test(address) ? { benches: [one], total: 1 } : shown;
    return Promise.resolve(Response.json(body));
  });
});

async function open(path: string) {
  history.replaceState(null, "", path);
  const page = await render(<DashboardPage />, new QueryClient());
  await settled("maths");
  return page;
}

it("the list leads to the table of each bench", async () => {
  const page = await open("/dashboard/bench");
  expect(page.querySelector("a[href='/dashboard/bench/0199']")?.textContent).toBe("maths");
  expect(page.textContent).toContain("Complete");
});

it("the list says for how many calls nobody knows what was paid", async () => {
  const paid = { usd: 0, calls: 9, unpriced_calls: 9 };
  shown = { ...view, report: { ...view.report, spent: paid } };
  const page = await open("/dashboard/bench");
  expect(page.textContent).toContain("$0 and 9 calls of unknown price of $1.00");
});

it("older benches are listed when they are asked for", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (address: string) => {
    const offset = Number(new URL(address, location.origin).searchParams.get("offset"));
    if (address.startsWith("/api/bench")) asked.push(address);
    const one = { ...view.report, id: `b-${offset}`, name: `bench ${offset}`, variants: 1 };
    const bench = { ...one, spent_usd: 0.05, unpriced_calls: 0, created_at: view.created_at };
    return Promise.resolve(Response.json({ benches: [bench], total: 2 }));
  });
  history.replaceState(null, "", "/dashboard/bench");
  await render(<DashboardPage />, new QueryClient());
  await settled("bench 0");
  await click(button("Show more"));
  await settled("bench 1");
  expect(asked).toEqual(["/api/bench?limit=50&offset=0", "/api/bench?limit=50&offset=1"]);
  expect(button("Show more")).toBeUndefined();
});

it("an interval that holds nought is called no clear difference", async () => {
  const page = await open("/dashboard/bench/0199");
  const text = page.textContent ?? "";
  expect(text).toContain("no clear difference between the council and its best member, Ada");
  expect(text).toContain("+20");
  expect(text).toContain("80%");
  expect(text).toContain("23% to 88%");
  expect(text).toContain("of 5; the council was right in 0 of them");
  expect(text).not.toContain("count as wrong");
});

it("a difference beyond chance is said to be one, and a part of a table to be a part", async () => {
  shown = {
    ...view,
    report: {
      ...view.report,
      status: "over_budget",
      simulated: true,
      variants: [
        {
          ...council,
          failed: 2,
          against_best: { ...best, difference: { value: -0.4, low: -0.7, high: -0.1 } },
        },
      ],
    },
  };
  const page = await open("/dashboard/bench/0199");
  const text = page.textContent ?? "";
  expect(text).toContain("The council is worse than its best member, Ada.");
  expect(text).toContain("this table is only a part of the whole");
  expect(text).toContain("Some models are simulated");
  expect(text).toContain("2 answers did not come; they count as wrong.");
});
