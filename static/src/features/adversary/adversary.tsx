import { useMemo } from "react";
import type { Severity } from "../../api/types";
import { Markdown } from "../../markdown/markdown";
import { draftBefore } from "../../run/refinement";
import type { RunState } from "../../run/state";
import { Changes } from "../../ui/changes";
import { Clamp } from "../../ui/clamp";
import { money, shortName } from "../../ui/format";

export const severityMeaning: Record<Severity, string> = {
  critical: "Wrong at its core, or harmful if followed.",
  major: "Misleading, or something important is missing.",
  minor: "Small flaws that mislead nobody.",
  none: "Nothing that would mislead or hurt.",
};

/** The attack on the answer, how grave it is, and what came of it. */
export default function AdversaryPanel({ run }: { run: RunState }) {
  const { adversary } = run;
  const before = useMemo(() => draftBefore(run), [run]);
  if (!adversary) return null;
  const attacking = adversary.status === "attacking";
  const revising = adversary.status === "revising";
  return (
    <section className="round" aria-label="The attack">
      <h4>
        {shortName(adversary.model)}{" "}
        <span className="round-found">
          {adversary.status === "done" ? money(adversary.cost) : "attacks the answer"}
        </span>
      </h4>
      {adversary.severity && (
        <p>
          <span className={`badge severity-${adversary.severity}`}>
            {adversary.severity === "none" ? "no objection" : adversary.severity}
          </span>{" "}
          {severityMeaning[adversary.severity]}
        </p>
      )}
      {adversary.severityNote && <p className="quiet">{adversary.severityNote}</p>}
      {adversary.error && (
        <div className="failure">
          <p>{adversary.error}</p>
        </div>
      )}
      {adversary.critique ? (
        <Clamp label="The attack" following={attacking}>
          <Markdown text={adversary.critique} streaming={attacking} />
        </Clamp>
      ) : (
        attacking && <p className="quiet">Reading the answer…</p>
      )}
      {adversary.revised && <Changes before={before} after={adversary.revision} />}
      {!adversary.revised && adversary.revision !== "" && (
        <div className="round-text">
          <p className="quiet">
            {revising ? "The revision as it is written" : "The revision was not finished"}
          </p>
          <Clamp label="Revision after the attack" following={revising}>
            <Markdown text={adversary.revision} streaming={revising} />
          </Clamp>
        </div>
      )}
    </section>
  );
}
