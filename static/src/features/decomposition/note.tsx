import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Said, say } from "../../ui/said";
import { sentences } from "./facts";
import { decompositionOf } from "./state";

/** Why the council answers a question that was to be taken apart. */
export function SkipNote({ run }: { run: RunState }) {
  const state = decompositionOf(run);
  if (!state?.skip) return null;
  const { reason, fact } = state.skip;
  const said = state.complexity?.reasoning;
  return (
    <div className="run-note">
      <p>
        <span className="badge badge-kind">{t("Not taken apart")}</span>{" "}
        <Said said={say(sentences, fact)} text={reason} />{" "}
        {t("The council answers the question whole.")}
      </p>
      {said && <p className="quiet">{said}</p>}
    </div>
  );
}
