import { asProblem } from "../../api/problem";
import type { Schemas } from "../../api/types";
import { msg, t } from "../../i18n";
import { sentence } from "../../ui/format";

const sentences: Readonly<Record<string, string>> = {
  encrypted: msg("It is protected by a password. Save it without one, and add that."),
  damaged: msg("It cannot be read. Save it anew, or as text."),
  too_many_pages: msg("It has too many pages. Add the part that matters."),
  too_large: msg("There is too much in it. Add the part that matters."),
  no_text: msg("There is no text in it, only pictures perhaps."),
  timed_out: msg("Reading it took too long. Add the part that matters."),
};

/** Why a file was not taken. */
export function refusalOf(error: unknown): string {
  const { message, fields, unreadable } = asProblem(error);
  return problemOf({
    problem: sentence(fields[0]?.message ?? message),
    problem_kind: unreadable ?? undefined,
  });
}

/** Why nothing can be read of a file. */
export function problemOf({
  problem,
  problem_kind,
}: Pick<Schemas["Attachment"], "problem" | "problem_kind">): string {
  const known = problem_kind ? sentences[problem_kind] : undefined;
  return known ? t(known) : (problem ?? "");
}
