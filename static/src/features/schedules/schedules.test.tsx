import { act } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../api/queries";
import type { Schedule, ScheduleResult } from "../../api/schedules";
import SchedulesPage from "../../pages/schedules";
import { button, click, render, settled, type } from "../../test/render";
import { config } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { askedIn } from "./request";

const schedule = (more: Partial<Schedule> = {}): Schedule => ({
  id: "s-1",
  name: "Herons",
  request: { content: "What is new?", system_prompt: "Be brief.", models: [{ model: "a/b" }] },
  cron: "0 8 * * 1-5",
  time_zone: "Europe/Berlin",
  next_times: ["2026-11-30T08:00:00+01:00"],
  spent_usd: 0,
  paused: false,
  created_at: "2026-03-12T09:30:00",
  updated_at: "2026-03-12T09:30:00",
  ...more,
});

const refused: ScheduleResult = {
  id: "r-1",
  created_at: "2026-03-12T09:30:00",
  due_at: "2026-03-12T09:30:00",
  refusal: "you have too many questions waiting",
};

let schedules: Schedule[];
let most: number;
let refuses: object | null;
let asked: [string, unknown][];
/** The field that the server finds wrong with an expression in a zone. */
let timesRefused: string | null;

function answer(url: URL, method: string, body: Record<string, unknown>): object {
  const path = url.pathname;
  if (path === "/api/user") return { id: "ada", is_admin: false };
  if (path === "/api/config") return config;
  if (path === "/api/settings/presets") return { presets: [] };
  if (path === "/api/schedule-times") return { next_times: ["2026-12-01T08:00:00+01:00"] };
  if (method !== "GET") asked.push([`${method} ${path}`, body]);
  if (path.endsWith("/results")) return { results: [refused] };
  if (method === "POST") schedules = [...schedules, schedule({ id: "s-new", ...body })];
  if (method === "PATCH") schedules = schedules.map((one) => ({ ...one, ...body }) as Schedule);
  if (method === "DELETE") schedules = [];
  if (method === "GET") return { schedules, most, min_interval_minutes: 15 };
  return schedules.at(-1) ?? {};
}

const invalid = (...errors: { field: string; message: string }[]) => ({
  type: "urn:llm-council:problem:validation",
  status: 422,
  errors,
});

beforeEach(() => {
  queryClient.clear();
  schedules = [schedule()];
  most = 20;
  refuses = null;
  asked = [];
  timesRefused = null;
  history.replaceState(null, "", "/schedules");
  vi.spyOn(globalThis, "fetch").mockImplementation(async (path, init = {}) => {
    const method = init.method ?? "GET";
    const body = typeof init.body === "string" ? JSON.parse(init.body) : {};
    const url = new URL(String(path), location.origin);
    const ofTimes = url.pathname === "/api/schedule-times" && timesRefused;
    const isRefused = ofTimes
      ? invalid({ field: ofTimes, message: "must be otherwise" })
      : method !== "GET" && refuses;
    return new Response(JSON.stringify(isRefused || answer(url, method, body)), {
      status: isRefused ? 422 : 200,
      headers: { "content-type": isRefused ? "application/problem+json" : "application/json" },
    });
  });
});
afterEach(() => vi.restoreAllMocks());

const show = async () => {
  const page = await render(
    <>
      <SchedulesPage />
      <Toasts />
    </>,
    queryClient,
  );
  await settled("Scheduled questions");
  return page;
};

/** A click on a link elsewhere on the page. */
async function leaveFor(path: string) {
  const link = document.body.appendChild(document.createElement("a"));
  link.href = path;
  const event = new MouseEvent("click", { bubbles: true, cancelable: true });
  await act(async () => link.dispatchEvent(event));
  link.remove();
  return event.defaultPrevented;
}

describe("the page of scheduled questions", () => {
  it("says when each is asked, what it may cost and what came of the last time", async () => {
    schedules = [schedule({ budget_usd: 5, spent_usd: 1.5, last_result: refused })];
    const page = await show();
    await settled("Monday to Friday at 8:00 AM · $1.50 of $5.00 this month");
    expect(page.textContent).toContain("Mon, Nov 30, 2026, 8:00 AM");
    const why = page.querySelector(".schedule-refusal");
    expect(why?.textContent).toBe("You have too many questions waiting");
    expect(why?.getAttribute("lang")).toBe("en");
  });

  it("says why nothing was asked in the reader's language, where the server has noted more than a sentence", async () => {
    const problem: object = {
      type: "urn:llm-council:problem:schedule-budget-reached",
      title: "The budget of the schedule is reached",
      status: 402,
      detail: refused.refusal,
      limit_usd: 2.5,
      spent_usd: 1.8,
      needed_usd: 1,
    };
    schedules = [schedule({ last_result: { ...refused, problem } as ScheduleResult })];
    const page = await show();
    await settled("The budget of this schedule is $2.50 a month, and $1.80 of it is spent.");
    const why = page.querySelector(".schedule-refusal");
    expect(why?.textContent).toContain("This question would cost about");
    expect(why?.hasAttribute("lang")).toBe(false);
  });

  it("says what the cost of a run leaves out, and no cost where there is none yet", async () => {
    const { refusal: _, ...result } = refused;
    const ended = { run_id: "r-1", status: "complete" as const, cost_usd: 0.05 };
    const begun = { run_id: "r-2", status: "running" as const, unknown_cost_calls: 0 };
    schedules = [
      schedule({ last_result: { ...result, run: { ...ended, unknown_cost_calls: 2 } } }),
      schedule({ id: "s-2", name: "Storks", last_result: { ...result, run: begun } }),
    ];
    const page = await show();
    await settled("at least $0.0500 · 2 calls of unknown price");
    const facts = [...page.querySelectorAll(".schedule-facts")].map((one) => one.textContent);
    expect(facts).toContain("conversation deleted");
  });

  it.each([
    [{ code: "refused" as const, times: 5 }, "nothing could be asked 5 times in a row."],
    [{ code: "no_next_time" as const }, "there is no next time at which it could be asked."],
  ])("says that one is paused, and why: %o", async (fact, words) => {
    schedules = [schedule({ paused: true, next_times: [], paused_reason: "…", paused_fact: fact })];
    await show();
    await settled(words);
  });

  it("pauses one and lets it go on", async () => {
    await show();
    await settled("Herons");
    await click(button("Pause"));
    await settled("paused");
    await click(button("Resume"));
    expect(asked).toEqual([
      ["PATCH /api/schedules/s-1", { paused: true }],
      ["PATCH /api/schedules/s-1", { paused: false }],
    ]);
  });

  it("changes what was changed, and keeps what the form has no field for", async () => {
    await show();
    await settled("Herons");
    await click(button("Change"));
    await settled("With the system prompt: Be brief.");
    await settled("Also asked for: models");
    await click(button("Save"));
    await settled("The schedule was changed.");
    expect(asked).toEqual([
      [
        "PATCH /api/schedules/s-1",
        { name: "Herons", request: schedule().request, budget_usd: null },
      ],
    ]);
  });

  it("keeps what is typed while its results are looked at", async () => {
    const page = await show();
    await settled("Herons");
    await click(button("Change"));
    await settled("Also asked for: models");
    const box = () => page.querySelector<HTMLTextAreaElement>(".schedule-form textarea");
    await type(box(), "What is new, and where?");
    await click(button("Results"));
    await settled("Results are kept for 90 days");
    expect(box()?.value).toBe("What is new, and where?");
  });

  it("asks before a question that was typed is left behind", async () => {
    const page = await show();
    await settled("Herons");
    await click(button("New scheduled question"));
    const box = () => page.querySelector<HTMLTextAreaElement>(".schedule-form textarea");
    await type(box(), "What is new, and where?");
    expect(await leaveFor("/")).toBe(true);
    await settled("Leave without saving?");
    await click(button("Keep editing"));
    expect(box()?.value).toBe("What is new, and where?");
    await leaveFor("/");
    await click(button("Discard and leave"));
    await vi.waitFor(() => expect(location.pathname).toBe("/"));
    expect(box()).toBeNull();
    expect(asked).toEqual([]);
  });

  it("leaves once what was typed is saved, though the form closes then", async () => {
    const page = await show();
    await settled("Herons");
    await click(button("Change"));
    await settled("Also asked for: models");
    const box = page.querySelector<HTMLTextAreaElement>(".schedule-form textarea");
    await type(box, "What is new, and where?");
    await leaveFor("/settings");
    await click(button("Save and leave"));
    await vi.waitFor(() => expect(location.pathname).toBe("/settings"));
    expect(asked[0]?.[1]).toMatchObject({ request: { content: "What is new, and where?" } });
    expect(page.querySelector(".schedule-form")).toBeNull();
  });

  it("has words for what it was asked with elsewhere on the page", async () => {
    schedules = [schedule({ request: { ...schedule().request, chairman_model: "m/chair" } })];
    const page = await show();
    await settled("Herons");
    await click(button("Change"));
    await settled("Also asked for: models, chairman");
    expect(page.textContent).not.toContain("chairman_model");
  });

  it("says what the server refuses, also where no field is for it", async () => {
    await show();
    await settled("Herons");
    await click(button("Change"));
    await settled("Also asked for");
    refuses = invalid(
      { field: "name", message: "must be shorter" },
      { field: "request.models.0.model", message: "must be known" },
    );
    await click(button("Save"));
    await settled("must be shorter");
    await settled("Not saved: request.models.0.model must be known");
  });

  it("offers none where they are switched off, or there are as many as there may be", async () => {
    most = 1;
    await show();
    await settled("There can be 1 scheduled question at most; delete it to add another.");
    expect(button("New scheduled question")).toBeUndefined();
    queryClient.clear();
    [most, schedules] = [0, []];
    await show();
    await settled("Scheduled questions are switched off on this server.");
  });

  it("begins with the question that led here", async () => {
    history.replaceState(
      { question: { content: "Why is the sky blue?\nReally." } },
      "",
      "/schedules",
    );
    schedules = [];
    const page = await show();
    await settled("Create schedule");
    expect(page.querySelector("textarea")?.value).toBe("Why is the sky blue?\nReally.");
    await act(async () => undefined);
    await click(button("Create schedule"));
    await settled("It will be asked as scheduled.");
    expect(asked[0]?.[1]).toMatchObject({
      name: "Why is the sky blue?",
      request: { content: "Why is the sky blue?\nReally." },
      cron: "0 8 * * 1-5",
    });
    expect(history.state).toBeNull();
  });
});

describe("the form of a scheduled question", () => {
  const field = (label: string) => {
    const named = [...document.querySelectorAll("label")].find((one) => one.textContent === label);
    const found = named && document.getElementById(named.htmlFor);
    if (!found) throw new Error(`there is no field “${label}”`);
    return found as HTMLInputElement;
  };
  const wrong = (label: string) => {
    const described = field(label).getAttribute("aria-describedby") ?? "";
    const id = described.split(" ").find((one) => one.endsWith("-error")) ?? "";
    return document.getElementById(id)?.textContent ?? null;
  };
  async function open() {
    await show();
    await settled("Herons");
    await click(button("New scheduled question"));
    await vi.waitFor(() => expect(document.activeElement).toBe(field("Question")));
    await type(field("Question"), "Why?");
  }
  async function own(cron: string) {
    const select = field("How often");
    await act(async () => {
      select.value = "own";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await type(field("Cron expression"), cron);
  }
  const save = () => click(button("Create schedule"));

  it.each([
    ["viel", "A number is needed."],
    ["12abc", "A number is needed."],
    ["-1", "From 0 to 10,000,000."],
    ["1,000", "It is not clear which number this is."],
  ])("a budget of “%s” is none: nothing is sent", async (typed, said) => {
    await open();
    await type(field("Budget in US dollars a month"), typed);
    await save();
    await settled(said);
    expect(wrong("Budget in US dollars a month")).toContain(said);
    expect(document.activeElement).toBe(field("Budget in US dollars a month"));
    expect(asked).toEqual([]);
  });

  it.each([
    ["$5", 5],
    ["5 USD", 5],
    ["2,5", 2.5],
    ["", null],
  ])("a budget of “%s” is %s", async (typed, sent) => {
    await open();
    await type(field("Budget in US dollars a month"), typed);
    await save();
    await settled("It will be asked as scheduled.");
    expect(asked[0]?.[1]).toMatchObject({ budget_usd: sent });
  });

  it("says what is missing or too long, and cuts nothing", async () => {
    await open();
    await type(field("Question"), " ");
    await type(field("Name"), "n".repeat(101));
    await type(field("Time zone"), "");
    await type(field("Time of day"), "");
    await save();
    await settled("At most 100 characters; these are 101.");
    expect(field("Name").value).toHaveLength(101);
    for (const label of ["Question", "Time zone", "Time of day"]) {
      expect(wrong(label)).toBe("This field is required.");
    }
    expect(document.activeElement).toBe(field("Question"));
    expect(asked).toEqual([]);
  });

  it("says no longer what was wrong with a field once that is changed", async () => {
    await open();
    await type(field("Question"), " ");
    await type(field("Budget in US dollars a month"), "viel");
    await save();
    await settled("A number is needed.");
    await type(field("Question"), "Why?");
    expect(wrong("Question")).toBeNull();
    expect(wrong("Budget in US dollars a month")).toBe("A number is needed.");
    expect(document.activeElement).toBe(field("Question"));
    await type(field("Budget in US dollars a month"), "5");
    expect(document.querySelector(".field-error")).toBeNull();
    expect(document.querySelector(".schedule-form .notice-bad")).toBeNull();
  });

  it.each([
    ["0 0 8 * * 1-5", "A cron expression has 5 parts, with spaces between them; here it has 6."],
    ["x 8 * * *", "This is no cron expression, or it names a day that never comes."],
    ["0 8 30 2 *", "This is no cron expression, or it names a day that never comes."],
    ["@never", "This is no cron expression, or it names a day that never comes."],
  ])("says at the field what is wrong with “%s”", async (cron, said) => {
    await open();
    timesRefused = "cron";
    await own(cron);
    await settled(said);
    expect(wrong("Cron expression")).toBe(said);
    expect(wrong("Time zone")).toBeNull();
    await save();
    expect(asked).toEqual([]);
    expect(document.activeElement).toBe(field("Cron expression"));
  });

  it("says at the field that there is no such time zone", async () => {
    await open();
    timesRefused = "time_zone";
    await type(field("Time zone"), "Mars/Olympus");
    await settled("There is no such time zone. Write it like Europe/Berlin.");
    expect(wrong("Time zone")).toContain("There is no such time zone.");
  });

  it("says that it is too often where the server refuses what has times", async () => {
    await open();
    await own("* * * * *");
    refuses = invalid({ field: "cron", message: "is too often" });
    await save();
    await settled("This is too often: at least 15 minutes have to lie between two times.");
    expect(document.activeElement).toBe(field("Cron expression"));
  });
});

it("a question of a conversation is taken without what is about that one", () => {
  const others = { system_prompt: "Be brief.", project_id: "p-1" };
  const question = {
    content: "Why?",
    parent_message_id: "m-1",
    mode: "debate" as const,
    ...others,
  };
  const read = askedIn(question);
  expect(read).toMatchObject({ content: "Why?", choices: { mode: "debate" }, others });
  expect(read.others).not.toHaveProperty("parent_message_id");
});
