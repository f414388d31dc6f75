/** A run has ended: a reader who looks elsewhere is notified. */
import { navigate } from "wouter/use-browser-location";
import { saw } from "../../api/push";
import { keys, queryClient } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { t } from "../../i18n";
import type { LiveRun } from "../asking/runs";
import { markTab } from "./mark";
import { longMs, offerNotifications, pushKey, tabTells } from "./notify";

/** Where a page may make none, its service worker shows it, and goes there when it is pressed. */
async function showByWorker(title: string, options: NotificationOptions, path: string) {
  const registration = await navigator.serviceWorker?.getRegistration();
  await registration?.showNotification(title, { ...options, data: path });
}

function show(title: string, options: NotificationOptions, path: string) {
  try {
    const notification = new Notification(title, options);
    notification.onclick = () => {
      window.focus();
      navigate(path);
      notification.close();
    };
  } catch {
    // Browsers of phones refuse, whatever their users have allowed. The tab is marked in any case.
    showByWorker(title, options, path).catch(() => undefined);
  }
}

export function tellEnded(id: string, { run, question, since }: LiveRun) {
  // Whoever stopped it knows.
  if (run.status === "cancelled") return;
  if (Date.now() - since >= longMs) offerNotifications();
  if (document.visibilityState === "visible") {
    if (pushKey() !== null && run.runId !== null) void saw(run.runId);
    return;
  }
  const good = run.status === "complete";
  markTab(good);
  if (!tabTells()) return;
  const stored = queryClient.getQueryData<Conversation>(keys.conversation(id));
  const asked = question ?? stored?.messages.findLast((one) => one.role === "user")?.content;
  const title = good ? t("The council has answered") : t("The council has no answer");
  show(title, { body: run.title ?? asked ?? "", tag: id, icon: "/favicon.svg" }, `/c/${id}`);
}
