import { useState } from "react";
import { clearAnalytics } from "../../api/insight";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { dateFormat, when } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { Panel } from "./panel";

const clock = dateFormat({ dateStyle: "long", timeStyle: "short" });

/** Clears the reader's own figures, after saying what that means. */
export function ClearAnalytics({ clearedAt }: { clearedAt: string | null }) {
  const [asks, setAsks] = useState(false);
  const { busy, problem, attempt } = useAttempt();
  const clear = async () => {
    setAsks(false);
    await attempt(async () => {
      await clearAnalytics();
      toast(t("Your analytics were cleared."));
    });
  };
  return (
    <Panel
      title={t("Clear my analytics")}
      lead={t(
        "The figures start again with your next question. Your conversations stay as they are.",
      )}
    >
      {clearedAt && (
        <p className="quiet">
          {t("Last cleared {{time}}; earlier runs are not counted.", {
            time: clock(when(clearedAt)),
          })}
        </p>
      )}
      {problem && (
        <Notice tone="bad" urgent>
          {t("Not cleared: {{reason}}", { reason: problem.message })}
        </Notice>
      )}
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
          {busy ? t("Clearing…") : t("Clear my analytics…")}
        </button>
      </p>
      {asks && (
        <Confirm
          title={t("Clear your analytics?")}
          cancel={t("Keep them")}
          onCancel={() => setAsks(false)}
          actions={[{ label: t("Clear for good"), tone: "danger", run: clear }]}
        >
          <p>{t("This cannot be taken back.")}</p>
          <ul>
            <li>{t("All rankings, ballots and your opinions on answers so far are removed.")}</li>
            <li>{t("Calls made so far no longer show on your dashboard.")}</li>
            <li>{t("Ballot weights start again.")}</li>
            <li>
              {t(
                "What was paid stays on record: budgets and the administrators’ usage figures still count it.",
              )}
            </li>
            <li>{t("Conversations and their answers stay.")}</li>
          </ul>
        </Confirm>
      )}
    </Panel>
  );
}
