import { beforeEach, expect, it, vi } from "vitest";

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  vi.resetModules();
});

const load = () => import("./kept");

it("keeps each user's things apart, and forgets the last one's when another signs in", async () => {
  const { kept, keptInTab, keeper } = await load();
  keeper.own("ann");
  kept.write("draft:c1", "hers");
  keptInTab.write("asking:c1", "hers too");
  keeper.own("bob");
  expect([kept.read("draft:c1"), keptInTab.read("asking:c1")]).toEqual([null, null]);
  expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain("hers");
  keeper.own("ann");
  expect(kept.read("draft:c1")).toBeNull();
});

it("knows at the next visit whose things they are before the server says so", async () => {
  (await load()).keeper.own("ann");
  (await load()).kept.write("theme", "dark");
  vi.resetModules();
  const { kept, keeper } = await load();
  expect([keeper.owner(), kept.read("theme")]).toEqual(["ann", "dark"]);
});

it("keeps what was chosen before it was known whose it is, and nothing that had no owner", async () => {
  localStorage.setItem("draft:new", "of whom?");
  const { kept, keeper } = await load();
  kept.write("theme", "dark");
  expect(localStorage.length).toBe(1);
  keeper.own("ann");
  expect(kept.read("theme")).toBe("dark");
  expect(localStorage.getItem("draft:new")).toBeNull();
});

it("takes no name for the beginning of another", async () => {
  const { kept, keeper } = await load();
  keeper.own("ann");
  kept.write("draft:c1", "hers");
  keeper.own("ann:draft");
  expect(kept.read("c1")).toBeNull();
});
