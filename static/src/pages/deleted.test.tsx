import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../api/queries";
import type { ConversationSummary } from "../api/types";
import { render, settled } from "../test/render";
import DeletedPage from "./deleted";

const deleted = (id: string, more: Partial<ConversationSummary> = {}): ConversationSummary => ({
  id,
  title: `About ${id}`,
  title_is_default: false,
  tags: [],
  archived: false,
  pinned: false,
  created_at: "2026-02-12T12:00:00.000000",
  updated_at: "2026-02-12T12:00:00.000000",
  asked_at: "2026-02-12T12:00:00.000000",
  message_count: 2,
  running: false,
  ...more,
});

let days: number | null;

beforeEach(() => {
  queryClient.clear();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path) => {
    const { pathname } = new URL(String(path), location.origin);
    if (pathname === "/api/me/data") return Response.json({ access: [], retention_days: days });
    return Response.json([
      deleted("herons", { expires_at: "2026-03-14T12:00:00.000000" }),
      deleted("bees"),
    ]);
  });
});
afterEach(() => vi.restoreAllMocks());

it("says which rule removes what was deleted before its thirty days are over, and when", async () => {
  days = 30;
  const page = await render(<DeletedPage />, queryClient);
  await settled("About herons");
  await settled("in which nothing happens for 30 days are deleted for good");
  const rows = [...page.querySelectorAll(".deleted-row")].map((row) => row.textContent);
  expect(rows[0]).toContain("It is removed for good on March 14, 2026.");
  expect(rows[1]).not.toContain("removed");
});

it("names no rule where there is none", async () => {
  days = null;
  const page = await render(<DeletedPage />, queryClient);
  await settled("About bees");
  expect(page.textContent).not.toContain("nothing happens");
});
