/** A run has ended: whoever looks elsewhere is told. */
import { navigate } from "wouter/use-browser-location";
import { saw } from "../../api/push";
import { keys, queryClient } from "../../api/queries";
import type { Conversation } from "../../api/types";
import { t } from "../../i18n";
import type { LiveRun } from "../asking/runs";
import { markTab } from "./mark";
import { longMs, offerNotifications, pushKey, tabTells } from "./notify";

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
  const notification = new Notification(title, {
    body: run.title ?? asked ?? "",
    tag: id,
    icon: "/favicon.svg",
  });
  notification.onclick = () => {
    window.focus();
    navigate(`/c/${id}`);
    notification.close();
  };
}
