/** The questions that were asked in this tab, for the box of a new conversation: no other tab has them, and none later. */
import { keptInTab } from "../../ui/kept";

const key = "asked";
const most = 50;
/** A longer one is a document; a tab keeps no more than a few million characters. */
const longest = 10_000;

/** The newest first; each once. */
export function askedHere(): string[] {
  try {
    const kept: unknown = JSON.parse(keptInTab.read(key) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

export function noteAsked(question: string) {
  if (question.trim() === "" || question.length > longest) return;
  const all = [question, ...askedHere().filter((one) => one !== question)];
  keptInTab.write(key, JSON.stringify(all.slice(0, most)));
}
