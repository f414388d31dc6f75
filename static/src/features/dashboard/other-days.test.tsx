/** Until the figures of newly chosen days arrive, nothing is said of those days that holds for the earlier ones. */
import { QueryClient } from "@tanstack/react-query";
import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import DashboardPage from "../../pages/dashboard";
import { button, click, render, settled, type } from "../../test/render";
import { Answered, Nothing, useAskedWith } from "./panel";
import { RangeBar } from "./range-bar";
import { useSpan } from "./use-span";

const summary = { total_queries: 0, total_calls: 0, cleared_at: null };
let hold = false;

beforeEach(() => {
  hold = false;
  history.replaceState(null, "", "/dashboard?days=7");
  vi.stubGlobal("fetch", (address: string) => {
    // The figures of other days take their time.
    if (hold) return new Promise<Response>(() => {});
    const body = address.includes("/recent") ? { queries: [], total: 3 } : { summary, models: {} };
    return Promise.resolve(Response.json(body));
  });
});

it("days without a question say so, and the next ones wait for their own answer", async () => {
  const page = await render(<DashboardPage />, new QueryClient());
  await settled("You asked nothing from");
  hold = true;
  await click(button("90"));
  expect(location.search).toBe("?days=90");
  expect(page.textContent).not.toContain("You asked nothing");
  expect(page.querySelector(".waiting")).not.toBeNull();
});

it("nobody is taken for a newcomer where it cannot be read whether they are one", async () => {
  vi.stubGlobal("fetch", (address: string) => {
    const figures = { summary, models: {} };
    if (!address.includes("/recent")) return Promise.resolve(Response.json(figures));
    return Promise.resolve(Response.json({ detail: "Not now." }, { status: 500 }));
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const page = await render(<DashboardPage />, client);
  await settled("Your figures could not be loaded: Not now.");
  expect(page.textContent).not.toContain("Nothing to count yet");
});

it("the boxes have the days of the address, also when going back", async () => {
  const page = await render(<Bar />);
  const days = () => [...page.querySelectorAll("input")].map(({ value }) => value);
  const go = (address: string) => act(async () => history.replaceState(null, "", address));
  await go("/dashboard?from=2026-01-05&until=2026-01-09");
  expect(days()).toEqual(["2026-01-05", "2026-01-09"]);
  // A link to the usual days, and other ones chosen there.
  await go("/dashboard");
  await click(button("Custom"));
  await type(page.querySelector("input"), "2026-02-01");
  expect(location.search).toContain("from=2026-02-01");
  expect(days()[0]).toBe("2026-02-01");
  await go("/dashboard?from=2026-01-05&until=2026-01-09");
  expect(days()).toEqual(["2026-01-05", "2026-01-09"]);
});

function Bar() {
  const [span, setSpan] = useSpan();
  return <RangeBar span={span} onChoose={setSpan} />;
}

function Days({ query, asking }: { query: Asked; asking: string }) {
  const askedWith = useAskedWith(query, asking);
  return (
    <Answered query={{ ...query, error: null, refetch: vi.fn() }} failed="">
      {(days) =>
        days.length === 0 ? (
          <Nothing>
            <p>nothing of {askedWith}</p>
          </Nothing>
        ) : (
          <p>
            {days.length} of {askedWith}
          </p>
        )
      }
    </Answered>
  );
}

interface Asked {
  data: string[] | undefined;
  isPending: boolean;
  isPlaceholderData: boolean;
}
const there = (data: string[]): Asked => ({ data, isPending: false, isPlaceholderData: false });
const before = (data: string[]): Asked => ({ data, isPending: false, isPlaceholderData: true });

it("figures of before keep the days that they were asked with", async () => {
  const page = await render(<Days query={there(["a"])} asking="seven" />);
  expect(page.textContent).toBe("1 of seven");
  await render(<Days query={before(["a"])} asking="ninety" />);
  expect(page.textContent).toBe("1 of seven");
  expect(page.querySelector("[aria-busy=true]")).not.toBeNull();
  await render(<Days query={there([])} asking="ninety" />);
  expect(page.textContent).toBe("nothing of ninety");
  await render(<Days query={before([])} asking="all" />);
  expect(page.textContent).toBe("Loading…");
});
