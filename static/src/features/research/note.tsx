import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { researchOf } from "./state";

/** That nothing was found; that a search failed stands among what went wrong. */
export function NothingFound({ run }: { run: RunState }) {
  const state = researchOf(run);
  if (state?.status !== "done" || state.found || state.needless || state.failure !== null) {
    return null;
  }
  return (
    <p className="final-notes">{t("Research found nothing; the members answered without it.")}</p>
  );
}
