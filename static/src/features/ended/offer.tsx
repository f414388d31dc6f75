import { t } from "../../i18n";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { useOffer, wantNotifications } from "./notify";

export async function switchNotifications(on: boolean): Promise<boolean> {
  const allowed = await wantNotifications(on);
  if (on && !allowed) toast(t("This browser does not allow notifications here."), { tone: "bad" });
  return allowed;
}

/** After a long run: the next one may call back whoever has gone elsewhere. */
export function NotifyOffer() {
  const open = useOffer((state) => state.open);
  if (!open) return null;
  return (
    <Notice tone="plain">
      {t(
        "Answers take a while. Shall the browser tell you when one is there and you are elsewhere?",
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
