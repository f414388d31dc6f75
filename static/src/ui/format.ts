/** Numbers, times and names as a person reads them. */
import { language, locale, t } from "../i18n";

/** Made when it is first used, when language and region are known, and kept: making one is slow. */
function once<T>(make: (locale: string) => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make(locale());
    return made;
  };
}

export function numberFormat(options?: Intl.NumberFormatOptions): (n: number) => string {
  const format = once((locale) => new Intl.NumberFormat(locale, options));
  return (n) => format().format(n);
}

export function dateFormat(options: Intl.DateTimeFormatOptions): (date: Date) => string {
  const format = once((locale) => new Intl.DateTimeFormat(locale, options));
  return (date) => format().format(date);
}

const whole = numberFormat();
const dollars = (digits: number) =>
  numberFormat({
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
const none = dollars(0);
const cents = dollars(2);
const small = dollars(4);
const fixed = (digits: number) =>
  numberFormat({
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  });
const tenths = fixed(1);
const hundredths = fixed(2);
const upToHundredths = numberFormat({ maximumFractionDigits: 2, useGrouping: false });

/** US dollars. Small sums keep two significant digits; null is an unknown price, not a free call. */
export function money(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return t("cost unknown");
  if (usd === 0) return none(0);
  if (usd < 0.0001) return `< ${small(0.0001)}`;
  return usd < 0.1 ? small(usd) : cents(usd);
}

const rough = [2, 3, 4, 5].map(dollars);

/** US dollars that are only guessed: two significant digits, and cents above a dollar. */
export function roughly(usd: number): string {
  if (usd === 0 || usd < 0.0001) return money(usd);
  if (usd >= 1) return cents(usd);
  const digits = 1 - Math.floor(Math.log10(usd));
  return (rough[Math.max(0, digits - 2)] ?? small)(usd);
}

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "";
  // Below that it is the server's own bookkeeping that was measured.
  if (ms < 50) return t("under 0.1 s");
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${tenths(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export const count = (n: number) => whole(n);

const lists = {
  unit: once((locale) => new Intl.ListFormat(locale, { type: "unit", style: "short" })),
  conjunction: once((locale) => new Intl.ListFormat(locale, { type: "conjunction" })),
  disjunction: once((locale) => new Intl.ListFormat(locale, { type: "disjunction" })),
};

/** Some after the other: "a, b, c", or with "and" or "or" before the last. */
export const listText = (items: readonly string[], type: keyof typeof lists = "unit") =>
  lists[type]().format(items);

const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };

/** 1st, 2nd, 3rd, 11th; in German 1., 2., 3. */
export const ordinal = (n: number) =>
  language() === "en" ? `${count(n)}${suffixes[ordinals.select(n)] ?? "th"}` : `${count(n)}.`;

export const rank = (n: number | null | undefined) =>
  n === null || n === undefined ? "–" : upToHundredths(n);

export const share = (n: number | null | undefined) =>
  n === null || n === undefined ? "–" : hundredths(n);

const percents = {
  0: numberFormat({ style: "percent", maximumFractionDigits: 0, useGrouping: false }),
  1: numberFormat({ style: "percent", maximumFractionDigits: 1, useGrouping: false }),
};

/** A part of one, 0.333 as 33%, in German as 33 %; with up to `digits` digits after the point. */
export const percent = (n: number | null | undefined, digits: keyof typeof percents = 0) =>
  n === null || n === undefined ? "–" : percents[digits](n);

/** From this many milliseconds of writing on, a speed means something. */
const leastWriting = 250;

/** Tokens per second, counted from the first token; null where the provider did not say enough. */
export function tokensPerSecond(answer: {
  usage?: { completion_tokens: number } | null;
  latency_ms?: number | null;
  ttft_ms?: number | null;
}): number | null {
  const tokens = answer.usage?.completion_tokens;
  const ms = (answer.latency_ms ?? 0) - (answer.ttft_ms ?? 0);
  // What came in one piece says nothing about how fast it was written.
  if (!tokens || ms < leastWriting) return null;
  return Math.round((tokens / ms) * 1000);
}

/** `openai/gpt-5.1` as `gpt-5.1`; an alias as it is. */
export const shortName = (member: string) =>
  member.includes("/") ? member.slice(member.lastIndexOf("/") + 1) : member;

/** Times from the server are UTC and may come without a zone. */
export function when(text: string): Date {
  return new Date(/(?:[zZ]|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
}

const startOfDay = (date: Date) =>
  new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

const monthOf = dateFormat({ month: "long", year: "numeric" });

/** The heading a conversation stands under in the list. */
export function dayGroup(date: Date, now: Date): string {
  const days = Math.round((startOfDay(now) - startOfDay(date)) / 86_400_000);
  if (days <= 0) return t("Today");
  if (days === 1) return t("Yesterday");
  if (days < 7) return t("Previous 7 days");
  return monthOf(date);
}

/** What a server says begins small where it follows a colon; here it stands by itself. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
