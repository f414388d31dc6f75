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

it("what there is no room for is read as it was last, and not as it was kept before", async () => {
  const { kept, keeper } = await load();
  const stored = new Map<string, string>();
  const most = 20;
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    removeItem: (key: string) => stored.delete(key),
    setItem: (key: string, value: string) => {
      if (value.length > most) throw new DOMException("full", "QuotaExceededError");
      stored.set(key, value);
    },
  });
  keeper.own("ann");
  kept.write("next:c1", "one");
  kept.write("next:c1", "one and then another, which is longer");
  expect(kept.read("next:c1")).toBe("one and then another, which is longer");
  kept.write("next:c1", "another");
  expect([kept.read("next:c1"), ...stored.values()]).toEqual(["another", "ann", "another"]);
  kept.write("next:c1", "another, and one that there is no room for");
  kept.write("next:c1", null);
  expect(kept.read("next:c1")).toBeNull();
});
