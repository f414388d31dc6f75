/** The tab's own sign that something has ended in it while nobody looked. */
import { setTitleMark } from "../../ui/title";

const icon = () => document.querySelector<HTMLLinkElement>("link[rel=icon]");

function mark(on: "✓" | "✗" | null) {
  setTitleMark(on);
  const link = icon();
  if (link) link.href = on ? "/favicon-ended.svg" : "/favicon.svg";
}

export function markTab(good: boolean) {
  mark(good ? "✓" : "✗");
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") mark(null);
});
