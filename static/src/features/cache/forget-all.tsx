import { useState } from "react";
import { forgetAnswers } from "../../api/cache";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { toast } from "../../ui/toast";

/** Removes all of the reader's answers from the store, after saying what that means. */
export function ForgetAll() {
  const [asks, setAsks] = useState(false);
  const { busy, attempt } = useAttempt();
  const forget = async () => {
    setAsks(false);
    await attempt(async () => {
      await forgetAnswers();
      toast(t("All kept answers were removed."));
    }, msg("Not removed: {{message}}"));
  };
  return (
    <>
      <p>
        <button
          type="button"
          className="button button-danger"
          // Not `disabled`: the focus comes back here from the question.
          aria-disabled={busy}
          onClick={() => {
            if (!busy) setAsks(true);
          }}
        >
          {t("Remove all…")}
        </button>
      </p>
      {asks && (
        <Confirm
          title={t("Remove all kept answers?")}
          cancel={t("Keep them")}
          onCancel={() => setAsks(false)}
          actions={[{ label: t("Remove them"), tone: "danger", run: forget }]}
        >
          <p>
            {t(
              "This cannot be taken back. Your conversations stay; the next questions ask the council.",
            )}
          </p>
        </Confirm>
      )}
    </>
  );
}
