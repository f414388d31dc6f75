import { useState } from "react";
import { forgetShare, stopShare } from "../../api/shares";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { toast } from "../../ui/toast";

interface Props {
  id: string;
  className: string;
  /** For those who hear it: which link, where there are several. */
  label?: string;
  /** Called while the link is still drawn. */
  onStopped: () => void;
}

/**
 * Ends a link, after a question: nobody who has it can read on, and a new link has another address.
 */
export function StopSharing({ id, className, label, onStopped }: Props) {
  const [asked, setAsked] = useState(false);
  const { busy, attempt } = useAttempt();
  const stop = () =>
    attempt(async () => {
      await stopShare(id);
      onStopped();
      forgetShare(id);
      toast(t("The link no longer works."));
    }, msg("The link still works: {{message}}"));
  return (
    <>
      <button
        type="button"
        className={className}
        aria-disabled={busy}
        aria-label={label}
        onClick={() => setAsked(true)}
      >
        {t("Stop sharing")}
      </button>
      {asked && (
        <Confirm
          title={t("Stop sharing?")}
          actions={[
            {
              label: t("Stop sharing"),
              tone: "danger",
              run: () => {
                setAsked(false);
                stop();
              },
            },
          ]}
          cancel={t("Keep the link")}
          onCancel={() => setAsked(false)}
        >
          <p>
            {t(
              "The link stops working at once, also for those who have it already. A new link will have another address.",
            )}
          </p>
        </Confirm>
      )}
    </>
  );
}
