import type { CheckState } from "../../api/checks";
import { msg, t } from "../../i18n";
import { Icon, type IconName } from "../../ui/icon";

const states: Record<CheckState, readonly [icon: IconName, word: string]> = {
  ok: ["check", msg("works")],
  warning: ["alert", msg("to look at")],
  failed: ["close", msg("failed")],
  not_offered: ["minus", msg("not offered")],
  skipped: ["minus", msg("not tried")],
};

/** How something is, by icon and word. */
export function StateMark({ state, of }: { state: CheckState; of?: string }) {
  const [icon, word] = states[state];
  return (
    <span className={`check-state check-${state}`}>
      <Icon name={icon} />
      {of ?? t(word)}
      {of && <span className="visually-hidden">: {t(word)}</span>}
    </span>
  );
}
