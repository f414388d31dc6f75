/** What names, models and numbers in the settings must be like: the rules of the server. */
import { t } from "../../i18n";
import { count } from "../../ui/format";
import { type Bounds, readWithin } from "../../ui/numbers";
import type { Say } from "../feature";

/** With fewer members there is no council, and with fewer models nothing to compare. */
export const leastMembers = 2;
const mostNameChars = 200;

const lengthOf = (text: string) => (text.length > mostNameChars ? [...text].length : text.length);
/** Control characters, and those that make two names look like one. */
const unseen = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;

export const isName = (text: string) =>
  text.trim() !== "" && lengthOf(text) <= mostNameChars && !unseen.test(text);

export const nameRule = () =>
  t("At most {{most}} characters, none of them invisible.", { most: count(mostNameChars) });

export const isModel = (text: string) => isName(text) && !/\s/.test(text);

export function modelRule(text: string): string {
  if (text === "") return t("A model is needed here.");
  if (/\s/.test(text)) return t("A model’s id has no spaces.");
  return nameRule();
}

/** A list of models, which may also be empty. */
export function checkModels(
  say: Say,
  field: string,
  models: readonly string[],
  { least, most }: { least: number; most: number },
) {
  if (models.length > 0 && (models.length < least || models.length > most)) {
    say(
      field,
      t("{{least}} to {{most}} models, or none; here there are {{number}}.", {
        least: count(least),
        most: count(most),
        number: count(models.length),
      }),
    );
  }
}

/** A number as it was typed. */
export function checkNumber(say: Say, field: string, text: string, bounds: Bounds) {
  const read = readWithin(text, bounds);
  if (typeof read === "string") say(field, read);
}
