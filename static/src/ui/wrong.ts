/** What is seen to be wrong with a form before it is sent, in the reader's words; and the server's refusals in them. */
import { asProblem, type FieldError, Problem } from "../api/problem";
import { t } from "../i18n";
import { count } from "./format";
import { type Bounds, readWithin } from "./numbers";

const lengthOf = (text: string) => [...text].length;

/** What is wrong with a text that has to be there; null where nothing is. The server counts characters, not UTF-16 units. */
export function textProblem(text: string, most: number): string | null {
  const typed = text.trim();
  if (typed === "") return t("This field is required.");
  const length = typed.length > most ? lengthOf(typed) : 0;
  if (length <= most) return null;
  return t("At most {{most}} characters; these are {{number}}.", {
    most: count(most),
    number: count(length),
  });
}

const unseenIn = (most: number) =>
  t("At most {{most}} characters, none of them invisible.", { most: count(most) });

/** What is wrong with a sentence or a name. */
const lineProblem = (text: string, most: number) =>
  textProblem(text, most) ?? (/[^\P{Cc}\n]/u.test(text.trim()) ? unseenIn(most) : null);

const hidden =
  "[\\p{Cc}\\u00ad\\u034f\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}]";
const anyHidden = new RegExp(hidden, "u");
const showsNothing = /^[\s\u2800\p{Default_Ignorable_Code_Point}]*$/u;

/**
 * What is wrong with a title, in which the server accepts nothing that hides or reverses a line.
 */
function nameProblem(text: string, most: number): string | null {
  const name = text.trim();
  return (
    textProblem(name, most) ??
    (anyHidden.test(name) || showsNothing.test(name) ? unseenIn(most) : null)
  );
}

/** Reads the fields of a form: all that is wrong is said at once, as the server says it. */
export function readForm() {
  const found: FieldError[] = [];
  const say = (field: string, message: string | null) => {
    if (message !== null) found.push({ field, message });
  };
  return {
    say,
    /** What a thing is called; it has to be there. */
    name(field: string, text: string, most: number): string {
      say(field, nameProblem(text, most));
      return text.trim();
    },
    /** A sentence or a name that has to be there. */
    line(field: string, text: string, most: number): string {
      say(field, lineProblem(text, most));
      return text.trim();
    },
    number(field: string, text: string, bounds: Bounds): number {
      const read = readWithin(text, bounds);
      if (typeof read === "number") return read;
      say(field, read);
      return Number.NaN;
    },
    /** A number that may be left out: null. */
    maybeNumber(field: string, text: string, bounds: Bounds): number | null {
      return text.trim() === "" ? null : this.number(field, text, bounds);
    },
    /** Throws what was found, for `attempt` to show. Nothing is sent before. */
    insist() {
      if (found.length > 0) throw refusedFields(found);
    },
  };
}

const refusedFields = (fields: FieldError[], status = 0) =>
  new Problem("refused", fields.map(({ message }) => message).join(" "), status, fields);

/** A sentence for each field. */
type Words = Readonly<Record<string, string>>;

/**
 * What is sent, with the server's refusals in the reader's words: `wordsOf` has a sentence for each field that can only be wrong in one
 * way once the form has been read. The others are said as the server says them.
 */
export async function inWords<T>(
  sent: Promise<T>,
  wordsOf: Words | (() => Promise<Words>),
): Promise<T> {
  try {
    return await sent;
  } catch (error) {
    const problem = asProblem(error);
    if (problem.fields.length === 0) throw error;
    const words = typeof wordsOf === "function" ? await wordsOf() : wordsOf;
    const fields = problem.fields.map(({ field, message }) => ({
      field,
      message: words[field] ?? message,
    }));
    throw refusedFields(fields, problem.status);
  }
}
