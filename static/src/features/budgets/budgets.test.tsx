import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { knownUsersKey } from "../../api/admin";
import { api } from "../../api/client";
import { Problem } from "../../api/problem";
import { keys, queryClient } from "../../api/queries";
import type { AdminBudgets, BudgetState } from "../../api/types";
import { button, click, render, settled, type } from "../../test/render";
import AdminBudgetEditor from "./admin-budgets";
import { BudgetFigures } from "./budget-notice";
import MyBudgets from "./my-budgets";

const budget = (more: Partial<BudgetState>): BudgetState => ({
  scope: "user",
  name: "ada",
  period: "day",
  set_by: "admin",
  limit_usd: 2,
  spent_usd: 0.5,
  reserved_usd: 0,
  unknown_cost_calls: 0,
  resets_at: "2026-11-03T00:00:00Z",
  ...more,
});

async function fill(label: string, text: string) {
  const named = [...document.querySelectorAll("label")].find((one) =>
    one.textContent?.includes(label),
  );
  const input = named && document.getElementById(named.htmlFor);
  if (!(input instanceof HTMLInputElement)) throw new Error(`there is no field “${label}”`);
  await type(input, text);
  return input;
}

const refused = (field: string, message: string) =>
  new Problem("refused", message, 422, [{ field, message }]);

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryData(knownUsersKey, []);
});

describe("the budgets of everybody", () => {
  const page = (budgets: BudgetState[]): AdminBudgets => ({
    budgets,
    defaults: { user_per_day_usd: 5 },
  });
  const show = (budgets: BudgetState[]) => {
    vi.spyOn(api, "adminBudgets").mockResolvedValue(page(budgets));
    return render(<AdminBudgetEditor />, queryClient);
  };
  const instance = budget({ scope: "instance", name: undefined, set_by: "config", limit_usd: 9 });

  it("shows whose they are, and what the configuration sets", async () => {
    const place = await show([instance, budget({ scope: "group", name: "interns" })]);
    await settled("Group “interns”, today");
    expect(place.textContent).toContain("Everybody together, today: $0.50 of $9.00 spent");
    expect(place.textContent).toContain("$5.00 for each user’s day");
    // What the configuration sets can be replaced here, and not taken away.
    expect(button("Remove: Everybody")).toBeUndefined();
    expect(button("Change: Everybody")).toBeDefined();
  });

  it("changes one budget and leaves the others unnamed", async () => {
    await show([instance, budget({})]);
    await settled("ada, today");
    const changed = vi
      .spyOn(api, "changeBudgets")
      .mockResolvedValue(page([budget({ limit_usd: 3.5 })]));
    await click(button("Change: ada"));
    await fill("New limit in US dollars for ada", "3,5");
    await click(button("Save"));
    expect(changed).toHaveBeenCalledExactlyOnceWith([
      { scope: "user", name: "ada", period: "day", limit_usd: 3.5 },
    ]);
    await settled("$0.50 of $3.50 spent");
  });

  it("takes a sum with its sign, and asks where it is not clear", async () => {
    const place = await show([]);
    await settled("No budget is set.");
    const changed = vi.spyOn(api, "changeBudgets").mockResolvedValue(page([]));
    await fill("User", "ada");
    for (const unclear of ["1.000", "1,000"]) {
      const field = await fill("At most", unclear);
      await click(button("Set budget"));
      expect(changed).not.toHaveBeenCalled();
      expect(field.getAttribute("aria-invalid")).toBe("true");
      expect(document.activeElement).toBe(field);
      expect(place.textContent).toContain("such as 1500 or 1.25");
    }
    await fill("At most", "$1000");
    await click(button("Set budget"));
    expect(changed.mock.calls[0]?.[0]).toMatchObject([{ limit_usd: 1000 }]);
  });

  /** The way on in the question, which stands last. */
  const sure = () => click([...document.querySelectorAll("dialog button")].at(-1));

  it("takes a budget away after a question", async () => {
    await show([budget({})]);
    await settled("ada, today");
    const changed = vi.spyOn(api, "changeBudgets").mockResolvedValue(page([]));
    await click(button("Remove: ada"));
    await settled("Remove this budget?");
    expect(changed).not.toHaveBeenCalled();
    await sure();
    expect(changed.mock.calls[0]?.[0]).toMatchObject([{ name: "ada", limit_usd: null }]);
    await settled("No budget is set.");
  });

  it("suggests the users who were here, and warns of a name that nobody of them has", async () => {
    const seen = { created_at: "2026-11-01T00:00:00", last_seen_at: "2026-11-02T00:00:00" };
    queryClient.setQueryData(knownUsersKey, [{ id: "ada", name: "Ada Lovelace", ...seen }]);
    const place = await show([]);
    await settled("No budget is set.");
    const field = await fill("User", "ad");
    const list = document.getElementById(field.getAttribute("list") ?? "");
    expect([...(list?.querySelectorAll("option") ?? [])].map((one) => one.value)).toEqual(["ada"]);
    expect(place.textContent).not.toContain("has been here yet");
    await fill("User", "adam");
    expect(place.textContent).toContain("Nobody called adam has been here yet.");
    // People appear at their first visit: it can be set all the same.
    const changed = vi.spyOn(api, "changeBudgets").mockResolvedValue(page([]));
    await fill("At most", "1");
    await click(button("Set budget"));
    expect(changed.mock.calls[0]?.[0]).toMatchObject([{ scope: "user", name: "adam" }]);
  });

  it("shows at its field what is missing, and what the server refuses, in the reader's words", async () => {
    const place = await show([]);
    await settled("No budget is set.");
    const changed = vi
      .spyOn(api, "changeBudgets")
      .mockRejectedValue(refused("budgets.0.name", "must be a user's name"));
    const said = () =>
      [...place.querySelectorAll('[aria-invalid="true"]')].map(
        (field) => field.nextElementSibling?.textContent,
      );
    await click(button("Set budget"));
    expect(said()).toEqual(["This field is required.", "A number is needed."]);
    expect(changed).not.toHaveBeenCalled();
    await fill("At most", "1");
    const user = await fill("User", "@");
    await click(button("Set budget"));
    expect(said()).toEqual(["This cannot be a user’s name."]);
    expect(document.activeElement).toBe(user);
  });

  it("keeps the focus at what was pressed, and in the row once a form has closed", async () => {
    await show([budget({})]);
    await settled("ada, today");
    vi.spyOn(api, "changeBudgets").mockResolvedValue(page([budget({ limit_usd: 3 })]));
    await click(button("Change: ada"));
    button("Save")?.focus();
    await fill("New limit in US dollars for ada", "3");
    await click(button("Save"));
    await settled("$0.50 of $3.00 spent");
    expect(document.activeElement).toBe(button("Change: ada"));
  });

  it("leaves the focus in its place when a budget is removed", async () => {
    await show([budget({})]);
    await settled("ada, today");
    vi.spyOn(api, "changeBudgets").mockResolvedValue(page([]));
    button("Remove: ada")?.focus();
    await click(button("Remove: ada"));
    await sure();
    await settled("No budget is set.");
    expect(document.activeElement?.textContent).toBe("Budgets");
  });
});

describe("one's own budgets", () => {
  const show = (budgets: BudgetState[]) => {
    queryClient.setQueryDefaults(keys.budgets, { staleTime: Number.POSITIVE_INFINITY });
    queryClient.setQueryData(keys.budgets, budgets);
    return render(<MyBudgets />, queryClient);
  };

  it("say that none binds", async () => {
    expect((await show([])).textContent).toContain("No budget applies to you.");
  });

  it("shows a budget for each question without a bar, before anything is asked", async () => {
    const run = { period: "run", spent_usd: 0, resets_at: undefined } as const;
    const place = await show([budget(run)]);
    expect(place.textContent).toContain("Your budget for one question: at most $2.00.");
    expect(place.querySelector(".budget-bar")).toBeNull();
  });

  it("sends the caps that were changed, an emptied one as none", async () => {
    const own = { set_by: "oneself" } as const;
    await show([budget(own), budget({ ...own, period: "month", limit_usd: 20 })]);
    const saved = vi.spyOn(api, "saveCaps").mockResolvedValue([budget({ ...own, limit_usd: 1 })]);
    await fill("For a day", "1");
    await fill("For a month", "");
    await click(button("Save caps"));
    expect(saved).toHaveBeenCalledExactlyOnceWith({ per_day_usd: 1, per_month_usd: null });
    // Not disabled: it has the focus.
    expect(button("Save caps")?.disabled).toBe(false);
    expect(button("Save caps")?.getAttribute("aria-disabled")).toBe("true");
    await click(button("Save caps"));
    expect(saved).toHaveBeenCalledOnce();
  });

  it("keeps what is typed while the caps are being saved", async () => {
    await show([]);
    let answer: (now: BudgetState[]) => void = () => undefined;
    vi.spyOn(api, "saveCaps").mockReturnValue(new Promise((done) => (answer = done)));
    const day = await fill("For a day", "1000");
    await click(button("Save caps"));
    const month = await fill("For a month", "30");
    // No timer may stand between what was saved and the form that shows it.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    await act(async () => answer([budget({ set_by: "oneself", limit_usd: 1000 })]));
    vi.useRealTimers();
    expect([day.value, month.value]).toEqual(["1000", "30"]);
    expect(button("Save caps")?.getAttribute("aria-disabled")).toBe("false");
  });

  it("keeps what is saved, also where what was asked for before comes later", async () => {
    let answer: (now: BudgetState[]) => void = () => undefined;
    vi.spyOn(api, "budgets").mockReturnValue(new Promise((done) => (answer = done)));
    await show([]);
    void queryClient.refetchQueries({ queryKey: keys.budgets });
    vi.spyOn(api, "saveCaps").mockResolvedValue([budget({ set_by: "oneself", limit_usd: 7 })]);
    const day = await fill("For a day", "7");
    await click(button("Save caps"));
    await act(async () => answer([]));
    expect(day.value).toBe("7");
  });

  it("follows another tab where nothing was typed", async () => {
    await show([]);
    const month = await fill("For a month", "30");
    await act(async () => {
      queryClient.setQueryData(keys.budgets, [budget({ set_by: "oneself", limit_usd: 7 })]);
    });
    const saved = vi.spyOn(api, "saveCaps").mockResolvedValue([]);
    await click(button("Save caps"));
    expect(saved).toHaveBeenCalledExactlyOnceWith({ per_month_usd: 30 });
    expect(month.value).toBe("");
  });

  it("sends nothing that is no number, and says so at its field", async () => {
    const place = await show([]);
    const saved = vi.spyOn(api, "saveCaps").mockResolvedValue([]);
    const field = await fill("For one question", "much");
    await click(button("Save caps"));
    expect(saved).not.toHaveBeenCalled();
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(place.textContent).toContain("A number is needed.");
    expect(document.activeElement).toBe(field);
  });
});

it("more was spent than a budget allows: it is used up, and both figures are said", async () => {
  const page = await render(<BudgetFigures budget={budget({ spent_usd: 2.5 })} name="Your day" />);
  expect(page.querySelector("p")?.textContent).toBe(
    "Your day: all of $2.00 is used up; $2.50 was spent.",
  );
  expect(page.querySelector(".budget-full > span")?.getAttribute("style")).toContain("width: 100%");
});
