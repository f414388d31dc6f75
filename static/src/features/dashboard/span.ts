/** Which days are counted. Days are UTC, as the server counts them; both ends belong to a span. */
import { t } from "../../i18n";
import { dateFormat } from "../../ui/format";

export type Preset = "7" | "30" | "90" | "all";
export interface Span {
  preset: Preset | "custom";
  /** `2026-11-01`; null is open. */
  from: string | null;
  until: string | null;
}

export const presets: readonly Preset[] = ["7", "30", "90", "all"];

const msPerDay = 86_400_000;

export const dayOf = (date: Date) => date.toISOString().slice(0, 10);

/** The day that is `n` days after another one. */
export const plusDays = (day: string, n: number) =>
  dayOf(new Date(Date.parse(`${day}T00:00:00Z`) + n * msPerDay));

export const daysBetween = (from: string, until: string) =>
  Math.round((Date.parse(until) - Date.parse(from)) / msPerDay);

/** A day that exists; a typed address may hold anything. */
export const isDay = (text: string | null): text is string => {
  if (text === null || !/^\d{4}-\d{2}-\d{2}$/.test(text) || text < "1000") return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && dayOf(new Date(time)) === text;
};

export function spanOf(preset: Preset, today: string): Span {
  if (preset === "all") return { preset, from: null, until: null };
  return { preset, from: plusDays(today, 1 - Number(preset)), until: today };
}

/** The span in the page's address; what cannot be read is the last 30 days. */
export function readSpan(query: URLSearchParams, today: string): Span {
  const [from, until] = [query.get("from"), query.get("until")];
  if (isDay(from) || isDay(until)) {
    return {
      preset: "custom",
      from: isDay(from) ? from : null,
      until: isDay(until) ? until : null,
    };
  }
  const preset = presets.find((name) => name === query.get("days")) ?? "30";
  return spanOf(preset, today);
}

/** Writes a span into an address, and nothing where it is the usual one. */
export function writeSpan(query: URLSearchParams, span: Span): URLSearchParams {
  const next = new URLSearchParams(query);
  for (const name of ["days", "from", "until"]) next.delete(name);
  if (span.preset === "custom") {
    if (span.from) next.set("from", span.from);
    if (span.until) next.set("until", span.until);
  } else if (span.preset !== "30") next.set("days", span.preset);
  return next;
}

/** Why a span cannot be asked for. */
export const spanError = (span: Span): string | null =>
  span.from !== null && span.until !== null && span.from > span.until
    ? t("The first day has to come before the last.")
    : null;

const long = dateFormat({ dateStyle: "medium", timeZone: "UTC" });

export const dayName = (day: string) => long(new Date(`${day}T00:00:00Z`));

/** A span in words, for the middle of a sentence. */
export function spanText({ from, until }: Span): string {
  if (from === null && until === null) return t("of all time");
  if (from === null) return t("until {{day}}", { day: dayName(until ?? "") });
  if (until === null) return t("since {{day}}", { day: dayName(from) });
  if (from === until) return t("on {{day}}", { day: dayName(from) });
  return t("from {{from}} to {{until}}", { from: dayName(from), until: dayName(until) });
}
