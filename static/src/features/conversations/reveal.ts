import "../../styles/reveal.css";
import type { Conversation } from "../../api/types";
import type { Find } from "./find";
import { untilSettled } from "./settling";
import { pattern } from "./words";

const oneLine = (text: string) => text.split(/\s+/).filter(Boolean).join(" ");

/** The turn, and which side of it, whose text holds what was found. */
export function placeOf(conversation: Conversation, { snippet }: Find) {
  const wanted = oneLine(snippet.replace(/^…/, "").replace(/…$/, ""));
  if (wanted === "") return null;
  let turn = -1;
  let answered = true;
  for (const message of conversation.messages) {
    const isQuestion = message.role === "user";
    if (isQuestion || answered) turn += 1;
    answered = !isQuestion;
    const text = isQuestion ? message.content : (message.brief ?? message.stage3?.response ?? "");
    if (oneLine(text).includes(wanted)) return { turn, isQuestion };
  }
  return null;
}

function rangesIn(element: Element, words: readonly string[]): Range[] {
  const wanted = pattern(words);
  if (!wanted) return [];
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < 500; node = walker.nextNode()) {
    for (const match of (node.nodeValue ?? "").matchAll(wanted)) {
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      ranges.push(range);
    }
  }
  return ranges;
}

/**
 * Scrolls to the message that a search found, and marks the words in it without touching the page's
 * elements. Returns a function that takes the marks away.
 */
export function reveal(turns: HTMLElement, conversation: Conversation, find: Find): () => void {
  const place = placeOf(conversation, find);
  const turn = place && turns.children[place.turn];
  if (!turn) {
    turns.lastElementChild?.scrollIntoView({ block: "start", behavior: "instant" });
    return () => undefined;
  }
  const look = () => {
    const side = turn.querySelector(place.isQuestion ? ".question" : ".final-text, .final") ?? turn;
    const ranges = rangesIn(side, find.words);
    const { top } = (ranges[0] ?? side).getBoundingClientRect();
    const by = top - innerHeight / 3;
    if (Math.abs(by) > 4) scrollBy({ top: by, behavior: "instant" });
    if ("highlights" in CSS) CSS.highlights.set("found", new Highlight(...ranges));
  };
  const rest = untilSettled(look);
  return () => {
    rest();
    if ("highlights" in CSS) CSS.highlights.delete("found");
  };
}
