import type { Kind } from "../../api/library";
import { msg } from "../../i18n";

export const kinds: readonly Kind[] = ["prompt", "rubric"];

/** The longest name, in characters. */
export const nameLength = 100;

/** How much a text may have, in characters. */
export const limits: Record<Kind, number> = { prompt: 20_000, rubric: 8_000 };

export const titles: Record<Kind, string> = { prompt: msg("Prompt"), rubric: msg("Rubric") };
export const newOnes: Record<Kind, string> = {
  prompt: msg("New prompt"),
  rubric: msg("New rubric"),
};
export const plurals: Record<Kind, string> = { prompt: msg("Prompts"), rubric: msg("Rubrics") };
/** A hint at what to write, for a new entry. */
export const hints: Record<Kind, string> = {
  prompt: msg(
    "What stands in double braces, as in {{example}}, is asked for before the text goes into the box.",
  ),
  rubric: msg(
    "One criterion a line: what is judged, and how a good answer is told from a bad one.",
  ),
};
