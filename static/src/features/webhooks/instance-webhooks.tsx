import "../../styles/tokens.css";
import { t } from "../../i18n";
import { Webhooks } from "./webhooks";

/** Programs that are notified when anybody's runs end. */
export function InstanceWebhooks() {
  return (
    <Webhooks
      instance
      lead={t(
        "Another program is told when anybody’s run ends, whose it was, how it ended and what it cost. It is never told what was asked.",
      )}
    />
  );
}
