import { lazy, memo, Suspense } from "react";
import type { LiveRun } from "../../run/live";
import { toMarkdown } from "../../run/markdown";
import { isLive, isSimulated, type RunState } from "../../run/state";
import { FoldedSection } from "../../ui/disclosure";
import { money, plural, rank, shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";
import { AdversarySummary } from "../adversary/summary";
import { BudgetFigures } from "../budgets/budget-notice";
import { chairmenSummary } from "../chairmen/summary";
import { ConsensusNote } from "../consensus/consensus-note";
import { EscalationNote } from "../escalation/escalation-note";
import { MonitorButton } from "../process/monitor-button";
import { refinementSummary } from "../refinement/summary";
import { RoutingNote } from "../routing/routing-note";
import { Answers } from "./answers";
import { CostTable } from "./costs";
import { describeRun, runProgress } from "./describe";
import { FinalAnswer } from "./final-answer";
import { IgnoredOptions } from "./ignored";
import { Reviews } from "./reviews";
import { Timeline } from "./timeline";

// What few runs have, and only who opens it reads.
const ChairmenPanel = lazy(() => import("../chairmen/chairmen"));
const RefinementPanel = lazy(() => import("../refinement/refinement"));
const AdversaryPanel = lazy(() => import("../adversary/adversary"));

const waiting = <p className="quiet">Loading…</p>;

interface Props {
  question: string;
  run: RunState;
  /** Set while this page follows the run. */
  live: LiveRun | null;
  latest: boolean;
  onReattach: () => void;
}

function answersSummary(run: RunState): string {
  const { answered } = runProgress(run);
  const parts = [];
  if (run.routing?.is_routed) parts.push(`routed as ${run.routing.category}`);
  if (run.escalation?.escalated) parts.push("escalated");
  parts.push(`${answered} of ${run.answers.length} answered`);
  if (run.confidence?.average) parts.push(`average confidence ${rank(run.confidence.average)}`);
  return parts.join(" · ");
}

function reviewsSummary(run: RunState): string {
  if (!run.facts) return `${runProgress(run).reviewsEnded} of ${run.reviews.length} in`;
  if (run.facts.winner_is_tie) return "no clear winner";
  return run.facts.winner ? `${shortName(run.facts.winner)} ranked best` : "no winner";
}

/** One turn's whole deliberation: the final answer first, then how it came about. */
export const Deliberation = memo(function Deliberation(props: Props) {
  const { question, run, live, latest, onReattach } = props;
  const running = isLive(run);
  const { synthesis } = run;
  const hasFinal =
    synthesis.status !== "waiting" || synthesis.text !== "" || synthesis.failures.length > 0;
  return (
    <div className="deliberation">
      {isSimulated(run) && (
        <p className="simulated">
          <Icon name="alert" />
          Simulated: this text was made up by the server, no model was asked.
        </p>
      )}
      {running && <Timeline run={run} />}
      {latest && <MonitorButton run={run} />}
      {live?.refused && running && live.refused.kind !== "signed_out" && (
        <Notice tone="bad" urgent>
          This page lost the run: {live.refused.message}{" "}
          <button type="button" className="quiet-button" onClick={onReattach}>
            Try again
          </button>
        </Notice>
      )}
      {run.status === "failed" && (
        <Notice tone="bad">
          <strong>The run failed.</strong> {run.error} What had arrived is kept.
        </Notice>
      )}
      {run.status === "cancelled" && (
        <Notice tone="warn">
          <strong>Stopped.</strong> What had arrived is kept.
        </Notice>
      )}
      <IgnoredOptions ignored={run.ignored} />
      {run.budgets.length > 0 && (
        <Notice tone="warn">
          <strong>A budget is nearly used up.</strong>
          {run.budgets.map((budget) => (
            <BudgetFigures
              key={`${budget.scope} ${budget.period} ${budget.set_by} ${budget.name}`}
              budget={budget}
            />
          ))}
        </Notice>
      )}
      {hasFinal && <FinalAnswer run={run} onCopyAll={() => toMarkdown(question, run)} />}
      {run.chairmen && (
        <FoldedSection title="Several chairmen" summary={chairmenSummary(run.chairmen)}>
          {() => (
            <Suspense fallback={waiting}>
              <ChairmenPanel run={run} />
            </Suspense>
          )}
        </FoldedSection>
      )}
      {run.refinement && (
        <FoldedSection title="Refinement" summary={refinementSummary(run)}>
          {() => (
            <Suspense fallback={waiting}>
              <RefinementPanel run={run} />
            </Suspense>
          )}
        </FoldedSection>
      )}
      {run.adversary && (
        <FoldedSection
          title="Devil’s advocate"
          summary={<AdversarySummary adversary={run.adversary} />}
        >
          {() => (
            <Suspense fallback={waiting}>
              <AdversaryPanel run={run} />
            </Suspense>
          )}
        </FoldedSection>
      )}
      {run.answers.length > 0 && (
        <FoldedSection title="Answers" summary={answersSummary(run)} startOpen={latest}>
          {() => (
            <div className="stage">
              {run.routing && <RoutingNote routing={run.routing} />}
              {run.escalation && <EscalationNote info={run.escalation} />}
              <Answers answers={run.answers} />
            </div>
          )}
        </FoldedSection>
      )}
      {run.reviews.length > 0 && (
        <FoldedSection title="Reviews" summary={reviewsSummary(run)} startOpen={latest}>
          {() => (
            <div className="stage">
              {run.consensus && !run.consensus.is_consensus && (
                <ConsensusNote info={run.consensus} />
              )}
              <Reviews run={run} />
            </div>
          )}
        </FoldedSection>
      )}
      {run.costs && (
        <FoldedSection title="Cost and time" summary={money(run.costs.total_cost)}>
          {() => run.costs && <CostTable costs={run.costs} />}
        </FoldedSection>
      )}
      {!running && run.answers.length === 0 && !hasFinal && run.status === "complete" && (
        <p className="quiet">{plural(0, "answer")} were stored for this question.</p>
      )}
    </div>
  );
});

/** Read out politely; changes with stages and results only. */
export function LiveStatus({ run }: { run: RunState | null }) {
  return (
    <p className="visually-hidden" role="status" aria-live="polite" data-testid="run-status">
      {run ? describeRun(run) : ""}
    </p>
  );
}
