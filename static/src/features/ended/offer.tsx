import { asProblem } from "../../api/problem";
import { t } from "../../i18n";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { canPush, useHere, useOffer, wantNotifications } from "./notify";

/** Switches notifications on or off, when a person presses something. */
export async function switchNotifications(on: boolean): Promise<void> {
  const allowed = await wantNotifications(on);
  if (on && !allowed) toast(t("This browser does not allow notifications here."), { tone: "bad" });
  if (!canPush() && useHere.getState().device === null) return;
  const device = await import("./device");
  try {
    if (allowed) await device.join();
    else await device.leave();
  } catch (error) {
    const reason =
      error instanceof device.NoPushService
        ? t("its push service cannot be reached.")
        : asProblem(error).message;
    const text = allowed
      ? t("This browser tells you only while a tab of it is open: {{reason}}", { reason })
      : t("Not done: {{message}}", { message: reason });
    toast(text, { tone: "bad" });
  }
}

/** After a long run: the next one may call back a reader who has gone elsewhere. */
export function NotifyOffer() {
  const open = useOffer((state) => state.open);
  if (!open) return null;
  return (
    <Notice tone="plain">
      {canPush()
        ? t(
            "Answers take a while. Shall this browser tell you when one is ready and you are elsewhere, with this page closed as well?",
          )
        : t(
            "Answers take a while. Shall the browser tell you when one is ready and you are elsewhere?",
          )}{" "}
      <button type="button" className="quiet-button" onClick={() => switchNotifications(true)}>
        {t("Tell me")}
      </button>{" "}
      <button type="button" className="quiet-button" onClick={() => switchNotifications(false)}>
        {t("No, thanks")}
      </button>
    </Notice>
  );
}
