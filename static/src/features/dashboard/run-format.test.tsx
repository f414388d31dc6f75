import { QueryClient } from "@tanstack/react-query";
import { beforeEach, expect, it, vi } from "vitest";
import DashboardPage from "../../pages/dashboard";
import { button, click, render, settled } from "../../test/render";
import { readFormat, writeFormat } from "./run-format";

const asked: string[] = [];

beforeEach(() => {
  asked.length = 0;
  const summary = { total_queries: 0, total_calls: 0, cleared_at: null };
  vi.stubGlobal("fetch", (address: string) => {
    asked.push(address);
    const body = address.includes("/recent") ? { queries: [], total: 3 } : { summary, models: {} };
    return Promise.resolve(Response.json(body));
  });
});

it("comes back from the address as it was written there, and what is no format is all of them", () => {
  for (const format of ["council", "debate", "arena", "decomposition", null] as const) {
    const query = writeFormat(new URLSearchParams("days=7&format=arena"), format);
    expect(query.get("days")).toBe("7");
    expect(readFormat(query)).toBe(format);
  }
  for (const query of ["", "format=all", "format=poker", "format="]) {
    expect(readFormat(new URLSearchParams(query))).toBeNull();
  }
});

it("one format is asked for alone, says that it has nothing, and leads back to all", async () => {
  history.replaceState(null, "", "/dashboard?days=all");
  const page = await render(<DashboardPage />, new QueryClient());
  await settled("Nothing to count yet");
  await click(button("Arena"));
  expect(location.search).toBe("?days=all&format=arena");
  await settled("No question of yours had the format “Arena”");
  expect(asked).toContain("/api/analytics?format=arena");
  expect(page.querySelector("[aria-pressed=true] + *")).not.toBeNull();

  await click(button("Show all formats"));
  expect(location.search).toBe("?days=all");
  expect(button("All formats")?.getAttribute("aria-pressed")).toBe("true");
});
