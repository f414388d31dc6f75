import { t } from "../../i18n";
import { Webhooks } from "./webhooks";

/** Programs that are notified when the reader's own runs end. */
export default function MyWebhooks() {
  return (
    <Webhooks
      instance={false}
      lead={t(
        "Another program is told when a run of yours ends: a chat, a mail robot, a script. Every delivery is signed.",
      )}
    />
  );
}
