import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { queryClient } from "../../api/queries";
import type { SearchHit } from "../../api/types";
import { button, click, render, settled } from "../../test/render";
import Hits from "./hits";

const hit = (at: number): SearchHit => ({
  conversation_id: `c-${at}`,
  title: `Tides ${at}`,
  title_is_default: false,
  snippet: `Tides ${at}`,
  at: "2026-03-12T09:30:00.000000",
});
const hits = (number: number) => Array.from({ length: number }, (_, at) => hit(at));

/** What the server finds, what it was asked for, and whether it says how many there are. */
let found: SearchHit[];
let asked: string[];
let isCounted: boolean;

beforeEach(() => {
  queryClient.clear();
  asked = [];
  isCounted = true;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path) => {
    const { pathname, searchParams: query } = new URL(String(path), location.origin);
    asked.push(`${pathname}?${query}`);
    const offset = Number(query.get("offset"));
    const headers = new Headers();
    if (isCounted) headers.set("x-total-count", String(found.length));
    return Response.json(found.slice(offset, offset + Number(query.get("limit"))), { headers });
  });
});
afterEach(() => vi.restoreAllMocks());

const draw = () => render(<Hits query="tides" onOpen={() => undefined} />, queryClient);
const titles = (page: HTMLElement) =>
  [...page.querySelectorAll(".entry-title")].map((title) => title.textContent);
const said = (page: HTMLElement) =>
  [...page.querySelectorAll("[role=status]")].map((status) => status.textContent);

it("thirty hits come first, with how many there are; the others by a button that keeps the focus", async () => {
  found = hits(65);
  const page = await draw();
  await settled("Tides 29");
  expect(said(page)).toEqual(["65 conversations found", "30 of 65"]);
  button("Show more")?.focus();
  await click(button("Show more"));
  await settled("60 of 65");
  expect(document.activeElement).toBe(button("Show more"));
  await click(button("Show more"));
  await settled("65 of 65");
  expect(titles(page)).toEqual(found.map(({ title }) => title));
  expect(button("Show more")).toBeUndefined();
  expect(asked).toEqual(
    [0, 30, 60].map((offset) => `/api/search?limit=30&offset=${offset}&q=tides`),
  );
});

it("where all are shown nothing more is offered", async () => {
  found = hits(2);
  const page = await draw();
  await settled("Tides 1");
  expect(said(page)).toEqual(["2 conversations found"]);
  expect(page.querySelector("button")).toBeNull();
});

it("a hit that has moved to the next page meanwhile stands there once", async () => {
  found = hits(31);
  const page = await draw();
  await settled("Tides 29");
  found = [hit(99), ...found];
  await click(button("Show more"));
  await settled("31 of 32");
  expect(titles(page)).toEqual(hits(31).map(({ title }) => title));
});

it("a server of the version before has one page, and does not say how many there are", async () => {
  found = hits(30);
  isCounted = false;
  const page = await draw();
  await settled("Tides 29");
  expect(said(page)).toEqual(["30 conversations found"]);
  expect(button("Show more")).toBeUndefined();
});
