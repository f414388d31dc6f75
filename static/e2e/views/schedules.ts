/** Scheduled questions of every state, as the server would tell of them. */
import type { Page } from "playwright-core";

const one = {
  id: "00000000-0000-7000-8000-0000000000b1",
  name: "Herons in the news",
  request: { content: "What is new about herons? Name sources, and say what contradicts what." },
  cron: "0 8 * * 1-5",
  time_zone: "Europe/Berlin",
  next_times: [
    "2026-11-27T08:00:00+01:00",
    "2026-11-30T08:00:00+01:00",
    "2026-12-01T08:00:00+01:00",
  ],
  budget_usd: 5,
  spent_usd: 1.84,
  paused: false,
  created_at: "2026-11-02T09:30:00",
  updated_at: "2026-11-02T09:30:00",
};

const result = (at: number, more: object) => ({
  id: `00000000-0000-7000-8000-0000000000c${at}`,
  created_at: `2026-11-${26 - at}T07:00:01`,
  due_at: `2026-11-${26 - at}T07:00:00`,
  ...more,
});
const run = (status: string, more: object = {}) => ({
  run: {
    run_id: "00000000-0000-7000-8000-00000000000b",
    status,
    conversation_id: "00000000-0000-4000-8000-00000000000a",
    cost_usd: 0.0923,
    unknown_cost_calls: 0,
    ...more,
  },
});
const overBudget = {
  refusal:
    "the budget of this schedule is $5.00 in a calendar month, and $4.96 is spent; the question would cost about $0.09",
};
const results = [
  result(0, run("running", { cost_usd: 0.01 })),
  result(1, run("complete")),
  result(2, { ...run("complete"), due_at: undefined }),
  result(3, run("failed", { conversation_id: undefined })),
  result(4, overBudget),
];

const schedules = [
  { ...one, last_result: results[1] },
  {
    ...one,
    id: "00000000-0000-7000-8000-0000000000b2",
    name: "Was hat sich bei den Zulieferern getan?",
    request: { content: "Was hat sich diese Woche bei unseren Zulieferern getan?", mode: "debate" },
    cron: "30 16 L * *",
    time_zone: "America/New_York",
    budget_usd: undefined,
    spent_usd: 0,
    next_times: ["2026-11-30T16:30:00-05:00"],
  },
  {
    ...one,
    id: "00000000-0000-7000-8000-0000000000b3",
    name: "Every quarter of an hour, in the evening",
    cron: "*/15 18-22 * * *",
    next_times: [],
    spent_usd: 4.96,
    paused: true,
    paused_reason: "It is paused: 5 times in a row nothing could be asked.",
    last_result: results[4],
  },
];

export async function someSchedules(page: Page) {
  await page.route(/\/api\/schedules$/, (route) =>
    route.fulfill({ json: { schedules, most: 20, min_interval_minutes: 15 } }),
  );
  await page.route(/\/api\/schedules\/[^/]+\/results/, (route) =>
    route.fulfill({ json: { results } }),
  );
  await page.route(/\/api\/schedule-times/, (route) =>
    route.fulfill({ json: { next_times: one.next_times } }),
  );
}
