import "../../styles/again.css";
import { useRef } from "react";
import { retryMember } from "../../api/retry-member";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { sentence, shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";

/** The button goes with the failure that it stands under: its card has the focus then. */
function goToCard(card: HTMLElement) {
  const at = document.activeElement;
  if (at !== document.body && !card.contains(at)) return;
  card.tabIndex = -1;
  card.focus({ preventScroll: true });
}

/** Asks a member that has failed again while others answer: its answer joins theirs. */
export function RetryMember({ runId, member }: { runId: string; member: string }) {
  const place = useRef<HTMLDivElement>(null);
  const { busy, problem, attempt } = useAttempt();
  const retry = async () => {
    const card = place.current?.closest<HTMLElement>("article");
    if ((await attempt(() => retryMember(runId, member))) && card) goToCard(card);
  };
  return (
    <div className="again" ref={place}>
      <button
        type="button"
        className="button"
        aria-label={busy ? undefined : t("Try again: {{member}}", { member: shortName(member) })}
        title={t("It is asked once more; its answer counts if it comes before the reviews.")}
        aria-disabled={busy}
        onClick={retry}
      >
        <Icon name="redo" />
        {busy ? t("Asking…") : t("Try again")}
      </button>
      {problem && (
        <Notice tone="bad" urgent>
          <strong>{t("Not asked again.")}</strong> {sentence(problem.message)}
        </Notice>
      )}
    </div>
  );
}
