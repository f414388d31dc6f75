import "../../styles/panels.css";
import { msg, t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import { Changes } from "../../ui/changes";
import { Clamp } from "../../ui/clamp";
import { shortName } from "../../ui/format";
import { knownCost } from "../../ui/known-cost";
import { Said, say } from "../../ui/said";
import type { PanelProps } from "../feature";
import { sentences, severitySentences } from "./facts";
import type { AdversaryState, Severity } from "./state";
import { severityName } from "./summary";

export const severityMeaning: Record<Severity, string> = {
  critical: msg("Wrong at its core, or harmful if followed."),
  major: msg("Misleading, or something important is missing."),
  minor: msg("Small flaws that mislead nobody."),
  none: msg("Nothing that would mislead or hurt."),
};

/** The attack on the answer, how grave it is, and what came of it. */
export default function AdversaryPanel({ state, before }: PanelProps<AdversaryState>) {
  const attacking = state.status === "attacking";
  const revising = state.status === "revising";
  return (
    <section className="round" aria-label={t("The attack")}>
      <h4>
        {shortName(state.model)}{" "}
        <span className="round-found">
          {state.status === "done"
            ? knownCost(state.cost, state.unknownCostCalls)
            : t("attacks the answer")}
        </span>
      </h4>
      {state.severity && (
        <p>
          <span className={`badge severity-${state.severity}`}>{severityName(state.severity)}</span>{" "}
          {t(severityMeaning[state.severity])}
        </p>
      )}
      {state.severityNote && (
        <p className="quiet">
          <Said
            said={say(severitySentences, state.severityNote.fact)}
            text={state.severityNote.text}
          />
        </p>
      )}
      {state.error && (
        <div className="failure">
          <p>
            <Said said={say(sentences, state.error.fact)} text={state.error.text} />
          </p>
        </div>
      )}
      {state.critique ? (
        <Clamp label={t("The attack")} following={attacking}>
          <Markdown text={state.critique} streaming={attacking} />
        </Clamp>
      ) : (
        attacking && <p className="quiet">{t("Reading the answer…")}</p>
      )}
      {state.revised && <Changes before={before} after={state.revision} />}
      {!state.revised && state.revision !== "" && (
        <div className="round-text">
          <p className="quiet">
            {revising ? t("The revision as it is written") : t("The revision was not finished")}
          </p>
          <Clamp label={t("Revision after the attack")} following={revising}>
            <Markdown text={state.revision} streaming={revising} />
          </Clamp>
        </div>
      )}
    </section>
  );
}
