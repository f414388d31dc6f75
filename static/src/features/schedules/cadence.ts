/** How often something is asked: the plain choices, and the cron expressions that stand for them. */
import { msg, t } from "../../i18n";
import { dateFormat, ordinal } from "../../ui/format";

export const kinds = ["day", "workday", "week", "month", "own"] as const;
export type Kind = (typeof kinds)[number];

export interface Cadence {
  kind: Kind;
  /** What the clock shows, as `08:00`. */
  time: string;
  /** 0 is Sunday. */
  weekday: number;
  /** 1 to 28, or `L` for the last day of a month. */
  day: string;
  /** The expression where it is one's own. */
  own: string;
}

export const kindNames: Record<Kind, string> = {
  day: msg("Every day"),
  workday: msg("Monday to Friday"),
  week: msg("Every week"),
  month: msg("Every month"),
  own: msg("At other times (cron expression)"),
};

export const usual: Cadence = { kind: "workday", time: "08:00", weekday: 1, day: "1", own: "" };

/** Days that every month has. */
export const days = [...Array.from({ length: 28 }, (_, at) => String(at + 1)), "L"];

/** From Monday on, as most calendars have it. */
export const weekdays = [1, 2, 3, 4, 5, 6, 0];

const inWeek = dateFormat({ weekday: "long", timeZone: "UTC" });
/** 4 January 2026 is a Sunday. */
export const weekdayName = (weekday: number) => inWeek(new Date(Date.UTC(2026, 0, 4 + weekday)));

/** A day of the month as it is chosen. */
export const dayName = (day: string) => (day === "L" ? t("the last day") : ordinal(Number(day)));

/** The expression of a choice; empty while no time is chosen. */
export function cronOf({ kind, time, weekday, day, own }: Cadence): string {
  if (kind === "own") return own.trim();
  const clock = /^(\d\d):(\d\d)/.exec(time);
  if (!clock) return "";
  const at = `${Number(clock[2])} ${Number(clock[1])}`;
  if (kind === "day") return `${at} * * *`;
  if (kind === "workday") return `${at} * * 1-5`;
  return kind === "week" ? `${at} * * ${weekday}` : `${at} ${day} * *`;
}

const plain = /^(\d{1,2}) (\d{1,2}) (\*|L|\d{1,2}) \* (\*|1-5|[0-6])$/;

/** The choice that an expression stands for: one's own where it is none of those that are made here. */
export function cadenceOf(cron: string): Cadence {
  const own = { ...usual, kind: "own", own: cron } as const;
  const found = plain.exec(cron);
  if (!found) return own;
  const [, minute = "", hour = "", day = "", weekday = ""] = found;
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  const kind: Kind =
    day !== "*" ? "month" : weekday === "*" ? "day" : weekday === "1-5" ? "workday" : "week";
  const cadence: Cadence = {
    ...own,
    kind,
    time,
    ...(kind === "week" && { weekday: Number(weekday) }),
    ...(kind === "month" && { day }),
  };
  return cronOf(cadence) === cron && (kind !== "month" || days.includes(day)) ? cadence : own;
}

const clock = dateFormat({ hour: "numeric", minute: "2-digit", timeZone: "UTC" });

/** How often, in words. */
export function wordsOf(cron: string): string {
  const { kind, time, weekday, day } = cadenceOf(cron);
  const at = { time: clock(new Date(`2026-01-04T${time}:00Z`)) };
  if (kind === "day") return t("Every day at {{time}}", at);
  if (kind === "workday") return t("Monday to Friday at {{time}}", at);
  if (kind === "week")
    return t("Every {{weekday}} at {{time}}", { ...at, weekday: weekdayName(weekday) });
  if (kind === "month" && day === "L") return t("On the last day of every month at {{time}}", at);
  if (kind === "month")
    return t("On the {{day}} of every month at {{time}}", { ...at, day: dayName(day) });
  return cron;
}

const moment = dateFormat({
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZone: "UTC",
});

/** A time as the clocks of its own zone show it: `2026-11-30T08:00:00+01:00` is eight o'clock. */
export const momentOf = (text: string) => moment(new Date(`${text.slice(0, 19)}Z`));

/** The reader's zone. */
export const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The time zones that the browser knows; UTC is not among them everywhere. */
export const zones = (): readonly string[] => [
  ...new Set(["UTC", zoneHere(), ...Intl.supportedValuesOf("timeZone")]),
];
