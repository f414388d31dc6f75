/**
 * A new question by a link: `/?q=…&preset=…&models=…` fills the composer and sends nothing. Whoever makes a link decides what
 * stands in the box, and the person in front of it whether it is asked.
 */
import type { Choices } from "../feature";
import { readChoices } from "../options/choices";
import { isModel } from "../settings/rules";
import { type Draft, drafts } from "./draft";

/** The most of a text that a link may bring, in characters: addresses are shorter anyway. */
const longest = 20_000;
const mostModels = 7;

/** A value as the request would have it: words stay words. */
function typed(text: string): unknown {
  if (text === "true" || text === "false") return text === "true";
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** What the parameters of an address say of a question; null where they say nothing. */
export function readAddress(search: string): Partial<Draft> | null {
  const given = new URLSearchParams(search);
  const text = (name: string) => given.get(name)?.slice(0, longest).trim() ?? "";
  const options = Object.fromEntries([...given].map(([name, value]) => [name, typed(value)]));
  const choices: Partial<Choices> = readChoices(options);
  const models = text("models")
    .split(",")
    .map((model) => model.trim())
    .filter((model) => isModel(model))
    .slice(0, mostModels);
  const asked: Partial<Draft> = {
    ...(text("q") && { content: text("q") }),
    ...(text("system") && { systemPrompt: text("system") }),
    ...(text("preset") && { preset: text("preset") }),
    ...(models.length > 0 && { models: models.map((model) => ({ model })) }),
    ...(Object.keys(choices).length > 0 && { choices }),
  };
  return Object.keys(asked).length > 0 ? asked : null;
}

/** Fills the composer of a new conversation from the address, once: the parameters leave the address bar. */
export function takeFromAddress() {
  if (location.pathname !== "/") return;
  const asked = readAddress(location.search);
  if (!asked) return;
  history.replaceState(history.state, "", `/${location.hash}`);
  // What was typed before and not sent stays in front of it, once it is known whose that is.
  drafts.write(null, asked);
}
