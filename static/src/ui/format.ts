/** Numbers, times and names as a person reads them. */

const whole = new Intl.NumberFormat("en");

/** US dollars. Small sums keep two significant digits; null is an unknown price, not a free call. */
export function money(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return "cost unknown";
  if (usd === 0) return "$0";
  if (usd < 0.0001) return "< $0.0001";
  if (usd < 0.1) return `$${usd.toFixed(4)}`;
  return `$${usd.toFixed(2)}`;
}

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export const count = (n: number) => whole.format(n);

export const plural = (n: number, one: string, many = `${one}s`) =>
  `${count(n)} ${n === 1 ? one : many}`;

const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const suffixes: Partial<Record<Intl.LDMLPluralRule, string>> = { one: "st", two: "nd", few: "rd" };

/** 1st, 2nd, 3rd, 11th. */
export const ordinal = (n: number) => `${count(n)}${suffixes[ordinals.select(n)] ?? "th"}`;

export const rank = (n: number | null | undefined) =>
  n === null || n === undefined ? "–" : n.toFixed(2).replace(/\.?0+$/, "");

export const share = (n: number | null | undefined) =>
  n === null || n === undefined ? "–" : n.toFixed(2);

/** Tokens per second once the first token was there; null where the provider did not say enough. */
export function tokensPerSecond(answer: {
  usage?: { completion_tokens: number } | null;
  latency_ms?: number | null;
  ttft_ms?: number | null;
}): number | null {
  const tokens = answer.usage?.completion_tokens;
  const ms = (answer.latency_ms ?? 0) - (answer.ttft_ms ?? 0);
  if (!tokens || ms <= 0) return null;
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

/** The heading a conversation stands under in the list. */
export function dayGroup(date: Date, now: Date): string {
  const days = Math.round((startOfDay(now) - startOfDay(date)) / 86_400_000);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  if (days < 7) return "Previous 7 days";
  return new Intl.DateTimeFormat("en", { month: "long", year: "numeric" }).format(date);
}
