import { describe, expect, it } from "vitest";
import { type Cadence, cadenceOf, cronOf, days, kinds, momentOf, usual, wordsOf } from "./cadence";

const choice = (more: Partial<Cadence>): Cadence => ({ ...usual, ...more });

describe("the plain choices", () => {
  it("are expressions that lead back to them", () => {
    for (const kind of kinds.filter((one) => one !== "own")) {
      for (const time of ["00:00", "08:05", "23:59"]) {
        const made = choice({ kind, time, weekday: 0, day: "L" });
        const read = cadenceOf(cronOf(made));
        expect([read.kind, read.time], cronOf(made)).toEqual([kind, time]);
        expect(cronOf(read)).toBe(cronOf(made));
      }
    }
    for (const day of days) expect(cadenceOf(`0 8 ${day} * *`).day).toBe(day);
    for (const weekday of [0, 1, 6]) expect(cadenceOf(`0 8 * * ${weekday}`).weekday).toBe(weekday);
  });

  it("are no others: those stay as they were written", () => {
    for (const cron of [
      "@daily",
      "*/15 * * * *",
      "0 8 29 * *",
      "0 8 1 * 1",
      "0 8 1 1 *",
      "08 8 * * *",
      "0 8 * * 7",
    ]) {
      expect(cadenceOf(cron), cron).toMatchObject({ kind: "own", own: cron });
      expect(cronOf(cadenceOf(cron))).toBe(cron);
    }
  });

  it("say nothing as long as no time is chosen", () => {
    expect(cronOf(choice({ kind: "day", time: "" }))).toBe("");
    expect(cronOf(choice({ kind: "own", own: "  " }))).toBe("");
  });

  it("are said in words", () => {
    expect(wordsOf("0 8 * * 1-5")).toBe("Monday to Friday at 8:00 AM");
    expect(wordsOf("30 18 * * *")).toBe("Every day at 6:30 PM");
    expect(wordsOf("0 8 * * 0")).toBe("Every Sunday at 8:00 AM");
    expect(wordsOf("0 8 2 * *")).toBe("On the 2nd of every month at 8:00 AM");
    expect(wordsOf("0 8 L * *")).toBe("On the last day of every month at 8:00 AM");
    expect(wordsOf("@hourly")).toBe("@hourly");
  });
});

it("a time is what the clocks of its zone show, wherever it is read", () => {
  expect(momentOf("2026-11-30T08:00:00+05:30")).toBe("Mon, Nov 30, 2026, 8:00 AM");
  expect(momentOf("2026-11-30T23:30:00-11:00")).toBe("Mon, Nov 30, 2026, 11:30 PM");
});
