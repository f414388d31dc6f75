/** Webhooks of every state, as the server would tell of them. */
import type { Page } from "playwright-core";

const one = {
  id: "00000000-0000-7000-8000-0000000000a1",
  instance: false,
  url: "https://hooks.example.com/services/council/T024BE7LD",
  events: ["run.cancelled", "run.completed", "run.failed"],
  include_content: false,
  enabled: true,
  created_at: "2026-03-12T09:30:00",
};
const webhooks = [
  one,
  {
    ...one,
    id: "00000000-0000-7000-8000-0000000000a2",
    url: "https://n8n.intern.example.org/webhook/5f0c7d0e-1f3c-4a7e-9d7b-c8f5c2a1b0e9/llm-council",
    events: ["run.completed"],
    include_content: true,
    enabled: false,
    disabled_reason: "the receiver said that it is gone (410)",
  },
];

const delivery = {
  id: "00000000-0000-7000-8000-0000000000d1",
  run_id: "00000000-0000-7000-8000-00000000000b",
  event: "run.completed",
  status: "delivered",
  attempts: 1,
  created_at: "2026-03-20T14:05:10",
  last_attempt_at: "2026-03-20T14:05:11",
  last_status: 204,
};
const deliveries = [
  {
    ...delivery,
    status: "pending",
    attempts: 2,
    last_status: 503,
    last_error: "the receiver answered 503 Service Unavailable",
    next_attempt_at: "2999-03-20T14:10:10",
  },
  { ...delivery, event: "webhook.test" },
  {
    ...delivery,
    event: "run.failed",
    status: "failed",
    attempts: 10,
    last_status: null,
    last_error: "the receiver could not be reached: Connection refused (os error 111)",
  },
].map((entry, at) => ({ ...entry, id: `00000000-0000-7000-8000-0000000000d${at}` }));

export async function someWebhooks(page: Page, instance: boolean) {
  await page.route(/\/api\/webhooks$/, (route) =>
    route.fulfill({
      json: {
        webhooks: webhooks.map((webhook) => ({
          ...webhook,
          instance,
          include_content: webhook.include_content && !instance,
        })),
        most: 10,
      },
    }),
  );
  await page.route(/\/api\/webhooks\/[^/]+\/deliveries/, (route) =>
    route.fulfill({ json: { deliveries, total: deliveries.length } }),
  );
  await page.route(/\/api\/webhooks\/[^/]+\/secret$/, (route) =>
    route.fulfill({ json: { ...one, instance, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" } }),
  );
}

export const listOf = (page: Page) => page.locator(".webhooks > li");
