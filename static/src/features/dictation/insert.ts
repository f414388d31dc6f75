/** Where what is heard goes in a text, while that may be typed in. */
import type { Heard } from "./wanted";

export interface Place {
  before: string;
  after: string;
  /** The first of the results that belong here: those before stand in the text already. */
  from: number;
}

const spaced = (one: string, other: string) =>
  one === "" || other === "" || /\s$/.test(one) || /^[\s.,;:!?)]/.test(other)
    ? one + other
    : `${one} ${other}`;

/** What was said so far. */
export const saidIn = ({ results }: Heard, from: number) =>
  Array.from(results)
    .slice(from)
    .map((result) => result[0]?.transcript.trim() ?? "")
    .filter(Boolean)
    .join(" ");

/** The text with what was said in its place. */
export const withSaid = ({ before, after }: Place, said: string) =>
  spaced(spaced(before, said), after);

/** What was typed meanwhile stays as it is: what is said from now on goes after it. */
export const after = (text: string, heard: Heard): Place => {
  const done = Array.from(heard.results).findIndex(({ isFinal }) => !isFinal);
  return { before: text, after: "", from: done < 0 ? heard.results.length : done };
};
