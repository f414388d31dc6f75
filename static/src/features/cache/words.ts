/** How alike two questions are, what a reused answer saves, and why none was: in words. */
import type { Schemas } from "../../api/types";
import { msg, t } from "../../i18n";
import { dateFormat, duration, money, percent, when } from "../../ui/format";
import type { ToldOfHit, ToldOfMiss } from "./state";

/** The page of what is kept: as `feature.tsx` says, which comes with the first load and is not asked for it here. */
export const keptPath = "/answers";

/** An earlier question, and what its answer saves. */
export interface Earlier {
  /** From 0 to 1. */
  similarity: number;
  /** Whether the text is the same. */
  exact: boolean;
  /** Null where it is another person's, and nobody else is to read it. */
  question: string | null;
  /** The run that it comes from; null where that is not the reader's. */
  runId: string | null;
  createdAt: string;
  hits: number;
  /** US dollars; null where a price is unknown. */
  costSaved: number | null;
  msSaved: number;
  own: boolean;
}

export function earlierFrom(told: ToldOfHit): Earlier {
  return {
    similarity: told.similarity ?? 0,
    exact: told.exact === true,
    question: told.cached_query ?? null,
    runId: told.cached_run_id ?? null,
    createdAt: told.created_at ?? "",
    hits: told.hit_count ?? 0,
    costSaved: told.cost_saved ?? null,
    msSaved: told.time_saved_ms ?? 0,
    own: told.own !== false,
  };
}

const clock = dateFormat({ timeStyle: "short" });
const day = dateFormat({ day: "numeric", month: "long" });
const dayOfYear = dateFormat({ day: "numeric", month: "long", year: "numeric" });

const isSameDay = (one: Date, other: Date) => one.toDateString() === other.toDateString();

/** When an answer was written: the time if it was today, else the day. */
export function answeredWhen(text: string, now = new Date()): string {
  const date = when(text);
  if (Number.isNaN(date.getTime())) return t("Answered earlier");
  if (isSameDay(date, now)) return t("Answered today at {{time}}", { time: clock(date) });
  const name = date.getFullYear() === now.getFullYear() ? day : dayOfYear;
  return t("Answered on {{day}}", { day: name(date) });
}

/** From which similarity on each holds, from the most to the least alike. */
const degrees = [
  [0.98, msg("almost the same question ({{percent}} similar)")],
  [0.95, msg("a very similar question ({{percent}} similar)")],
  [0.9, msg("a similar question ({{percent}} similar)")],
  [0, msg("a somewhat similar question ({{percent}} similar)")],
] as const;

/** Only the same text is 100 % alike. */
export const parts = (similarity: number) => percent(Math.min(0.99, similarity));

/** How alike the earlier question is. */
export function likeness({ exact, similarity }: Pick<Earlier, "exact" | "similarity">): string {
  if (exact) return t("the same question");
  const [, words] = degrees.find(([from]) => similarity >= from) ?? degrees[3];
  return t(words, { percent: parts(similarity) });
}

/** Milliseconds that nobody would notice. */
const unnoticedMs = 500;

/** What an answer that is there already saves; null where that is nothing. */
export function saving(
  { costSaved, msSaved }: Pick<Earlier, "costSaved" | "msSaved">,
  isOver: boolean,
): string | null {
  const sum = costSaved !== null && costSaved > 0 ? money(costSaved) : null;
  const time = msSaved >= unnoticedMs ? duration(msSaved) : null;
  if (sum && time) {
    return isOver
      ? t("saved {{sum}} and {{time}}", { sum, time })
      : t("saves {{sum}} and {{time}}", { sum, time });
  }
  const what = sum ?? time;
  if (!what) return null;
  return isOver ? t("saved {{what}}", { what }) : t("saves {{what}}", { what });
}

const reasons: Record<Schemas["CacheMissReason"], string> = {
  empty: msg("No answer was kept yet for this format, council, options and conversation so far."),
  below_threshold: msg("No earlier question was similar enough."),
  differs: msg("The most similar earlier question is another one."),
  refused: msg("An earlier answer was offered, and the council was asked anyway."),
  expired: msg("An earlier answer was offered, and nobody decided in time."),
  embedding_failed: msg(
    "Similar questions could not be looked for, only the same text, and that was not asked before.",
  ),
  too_long: msg(
    "The question is too long to be compared; only the same text was looked for, and that was not asked before.",
  ),
  unavailable: msg("Earlier answers could not be looked up. The council was asked as always."),
};

const differences = {
  language: msg("The most similar earlier question is in another language."),
  dates: msg("The most similar earlier question has another date or time."),
  units: msg("The most similar earlier question has other units."),
  numbers: msg("The most similar earlier question has other numbers."),
  code: msg("The most similar earlier question has other code."),
  negation: msg("The most similar earlier question differs in a “not” or “without”."),
  opposites: msg("The most similar earlier question asks the opposite."),
  names: msg("The most similar earlier question has other names."),
  question: msg(
    "The most similar earlier question asks for something else, such as when in place of why.",
  ),
  order: msg("The most similar earlier question has the same words in another order."),
  words: msg("The most similar earlier question has other words that matter."),
};

/** Differences of the server without a text: none. A new one does not compile until it has one. */
const untold: Record<Exclude<Schemas["CacheDifference"], keyof typeof differences>, never> = {};
void untold;

/** The text under a key that a newer server may have made up. */
const under = (texts: Readonly<Record<string, string>>, key: string | null | undefined) =>
  typeof key === "string" && Object.hasOwn(texts, key) ? texts[key] : undefined;

/** Why no earlier answer was taken. */
export function whyNone({ reason, difference, best_similarity: best }: ToldOfMiss): string {
  const found = reason === "differs" ? under(differences, difference) : undefined;
  const why = t(found ?? under(reasons, reason) ?? msg("No earlier answer was used."));
  if (reason !== "below_threshold" || typeof best !== "number") return why;
  return `${why} ${t("The nearest was {{percent}} similar.", { percent: parts(best) })}`;
}
