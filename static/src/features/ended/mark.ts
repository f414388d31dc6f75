/** The tab's own sign that something has ended in it while nobody looked, and the number on the installed app's icon. */
import { setTitleMark } from "../../ui/title";

const icon = () => document.querySelector<HTMLLinkElement>("link[rel=icon]");
let unseen = 0;

function mark(on: "✓" | "✗" | null) {
  setTitleMark(on);
  const link = icon();
  if (link) link.href = on ? "/favicon-ended.svg" : "/favicon.svg";
}

export function markTab(good: boolean) {
  mark(good ? "✓" : "✗");
  unseen += 1;
  // Only an installed app has one; it is cleared where notifications are counted (installed/badge.ts).
  navigator.setAppBadge?.(unseen).catch(() => undefined);
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "visible") return;
  mark(null);
  unseen = 0;
});
