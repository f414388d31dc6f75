import "../../styles/panels.css";
import { useMemo } from "react";
import type { Severity } from "../../api/types";
import { msg, t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import { draftBefore } from "../../run/refinement";
import type { RunState } from "../../run/state";
import { Changes } from "../../ui/changes";
import { Clamp } from "../../ui/clamp";
import { money, shortName } from "../../ui/format";
import { severityName } from "./summary";

export const severityMeaning: Record<Severity, string> = {
  critical: msg("Wrong at its core, or harmful if followed."),
  major: msg("Misleading, or something important is missing."),
  minor: msg("Small flaws that mislead nobody."),
  none: msg("Nothing that would mislead or hurt."),
};

/** The attack on the answer, how grave it is, and what came of it. */
export default function AdversaryPanel({ run }: { run: RunState }) {
  const { adversary } = run;
  const before = useMemo(() => draftBefore(run), [run]);
  if (!adversary) return null;
  const attacking = adversary.status === "attacking";
  const revising = adversary.status === "revising";
  return (
    <section className="round" aria-label={t("The attack")}>
      <h4>
        {shortName(adversary.model)}{" "}
        <span className="round-found">
          {adversary.status === "done" ? money(adversary.cost) : t("attacks the answer")}
        </span>
      </h4>
      {adversary.severity && (
        <p>
          <span className={`badge severity-${adversary.severity}`}>
            {severityName(adversary.severity)}
          </span>{" "}
          {t(severityMeaning[adversary.severity])}
        </p>
      )}
      {adversary.severityNote && <p className="quiet">{adversary.severityNote}</p>}
      {adversary.error && (
        <div className="failure">
          <p>{adversary.error}</p>
        </div>
      )}
      {adversary.critique ? (
        <Clamp label={t("The attack")} following={attacking}>
          <Markdown text={adversary.critique} streaming={attacking} />
        </Clamp>
      ) : (
        attacking && <p className="quiet">{t("Reading the answer…")}</p>
      )}
      {adversary.revised && <Changes before={before} after={adversary.revision} />}
      {!adversary.revised && adversary.revision !== "" && (
        <div className="round-text">
          <p className="quiet">
            {revising ? t("The revision as it is written") : t("The revision was not finished")}
          </p>
          <Clamp label={t("Revision after the attack")} following={revising}>
            <Markdown text={adversary.revision} streaming={revising} />
          </Clamp>
        </div>
      )}
    </section>
  );
}
