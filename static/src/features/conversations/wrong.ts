/** The server's refusals of titles and tags in the reader's words. */
import { asProblem, Problem } from "../../api/problem";
import { t } from "../../i18n";
import { count } from "../../ui/format";

/** The longest ones, in characters. */
export const titleLength = 200;
export const tagLength = 40;
/** How many tags a conversation can have. */
const mostTags = 20;

const isOf = (error: unknown, field: RegExp) =>
  asProblem(error).fields.some((one) => field.test(one.field));

/** What is not too long can only hold what nobody sees. */
const unseen = (most: number) =>
  new Problem(
    "refused",
    t("At most {{most}} characters, none of them invisible.", { most: count(most) }),
  );

export const ofTitle = (error: unknown): unknown =>
  isOf(error, /^title$/) ? unseen(titleLength) : error;

export function ofTags(error: unknown): unknown {
  if (isOf(error, /^tags\./)) return unseen(tagLength);
  if (!isOf(error, /^tags$/)) return error;
  const message = t("A conversation can have {{most}} tags at most.", { most: count(mostTags) });
  return new Problem("refused", message);
}
