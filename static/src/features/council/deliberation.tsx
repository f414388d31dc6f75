import { lazy, memo, Suspense } from "react";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import type { LiveRun } from "../../run/live";
import { toMarkdown } from "../../run/markdown";
import { isLive, isSimulated, type RunState } from "../../run/state";
import { FoldedSection } from "../../ui/disclosure";
import { money, rank } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";
import { orMissing } from "../../ui/part";
import { AdversarySummary } from "../adversary/summary";
import { AskMissing, useAskable } from "../again/context";
import { BudgetFigures, keyOf } from "../budgets/budget-notice";
import { chairmenSummary } from "../chairmen/summary";
import { ConsensusNote } from "../consensus/consensus-note";
import { EscalationNote } from "../escalation/escalation-note";
import { MonitorButton } from "../process/monitor-button";
import { refinementSummary } from "../refinement/summary";
import { categoryName, RoutingNote } from "../routing/routing-note";
import { Answers } from "./answers";
import { describeRun, reviewsId, reviewsSummary, runProgress } from "./describe";
import { FinalAnswer } from "./final-answer";
import { IgnoredOptions } from "./ignored";
import { Reviews } from "./reviews";
import { Timeline } from "./timeline";

// What few runs have, or only who opens it reads.
const CostTable = lazy(() =>
  orMissing(import("./costs").then(({ CostTable }) => ({ default: CostTable }))),
);
const ChairmenPanel = lazy(() => orMissing(import("../chairmen/chairmen")));
const RefinementPanel = lazy(() => orMissing(import("../refinement/refinement")));
const AdversaryPanel = lazy(() => orMissing(import("../adversary/adversary")));

const Waiting = () => (
  <p className="quiet" data-waits="">
    {t("Loading…")}
  </p>
);

interface Props {
  question: string;
  run: RunState;
  /** Set while this page follows the run. */
  live: LiveRun | null;
  latest: boolean;
  /** It was asked for again since. */
  earlier?: boolean;
  onReattach: () => void;
}

function answersSummary(run: RunState): string {
  const { answered } = runProgress(run);
  const parts = [];
  if (run.routing?.is_routed)
    parts.push(t("routed as {{category}}", { category: categoryName(run.routing.category) }));
  if (run.escalation?.escalated) parts.push(t("escalated"));
  parts.push(t("{{done}} of {{all}} answered", { done: answered, all: run.answers.length }));
  if (run.confidence?.average)
    parts.push(
      t("average confidence {{confidence}}", { confidence: rank(run.confidence.average) }),
    );
  return parts.join(" · ");
}

/** One turn's whole deliberation: the final answer first, then how it came about. */
export const Deliberation = memo(function Deliberation(props: Props) {
  const { question, run, live, latest, earlier = false, onReattach } = props;
  const running = isLive(run);
  const askable = useAskable();
  const { synthesis } = run;
  const askMissing = askable && (
    <Suspense fallback={null}>
      <AskMissing stopped={run.status === "cancelled"} />
    </Suspense>
  );
  const hasFinal =
    synthesis.status !== "waiting" || synthesis.text !== "" || synthesis.failures.length > 0;
  return (
    <div className="deliberation">
      {isSimulated(run) && (
        <p className="simulated">
          <Icon name="alert" />
          {t("Simulated: this text was made up by the server, no model was asked.")}
        </p>
      )}
      {running && <Timeline run={run} />}
      {latest && !earlier && <MonitorButton run={run} />}
      {live?.refused && running && live.refused.kind !== "signed_out" && (
        <Notice tone="bad" urgent>
          {t("This page lost the run: {{message}}", { message: live.refused.message })}{" "}
          <button type="button" className="quiet-button" onClick={onReattach}>
            {t("Try again")}
          </button>
        </Notice>
      )}
      {run.status === "failed" && (
        <Notice tone="bad">
          <T
            text="<strong>The run failed.</strong> {{error}} What had arrived is kept."
            parts={{ strong: (inner) => <strong>{inner}</strong>, error: run.error }}
          />
          {askMissing}
        </Notice>
      )}
      {run.status === "cancelled" && (
        <Notice tone="warn">
          <T
            text="<strong>Stopped.</strong> What had arrived is kept."
            parts={{ strong: (inner) => <strong>{inner}</strong> }}
          />
          {askMissing}
        </Notice>
      )}
      <IgnoredOptions ignored={run.ignored} />
      {run.budgets.length > 0 && (
        <Notice tone={running ? "warn" : "plain"}>
          <strong>
            {running
              ? t("A budget is nearly used up.")
              : t("A budget was nearly used up at this point.")}
          </strong>
          {run.budgets.map((budget) => (
            <BudgetFigures key={keyOf(budget)} budget={budget} past={!running} />
          ))}
        </Notice>
      )}
      {hasFinal && (
        <FinalAnswer run={run} earlier={earlier} onCopyAll={() => toMarkdown(question, run)} />
      )}
      {run.chairmen && (
        <FoldedSection title={t("Several chairmen")} summary={chairmenSummary(run.chairmen)}>
          {() => (
            <Suspense fallback={<Waiting />}>
              <ChairmenPanel run={run} />
            </Suspense>
          )}
        </FoldedSection>
      )}
      {run.refinement && (
        <FoldedSection title={t("Refinement")} summary={refinementSummary(run)}>
          {() => (
            <Suspense fallback={<Waiting />}>
              <RefinementPanel run={run} />
            </Suspense>
          )}
        </FoldedSection>
      )}
      {run.adversary && (
        <FoldedSection
          title={t("Devil’s advocate")}
          summary={<AdversarySummary adversary={run.adversary} />}
        >
          {() => (
            <Suspense fallback={<Waiting />}>
              <AdversaryPanel run={run} />
            </Suspense>
          )}
        </FoldedSection>
      )}
      {run.answers.length > 0 && (
        <FoldedSection title={t("Answers")} summary={answersSummary(run)} startOpen={latest}>
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
        <FoldedSection
          id={reviewsId(run)}
          title={t("Reviews")}
          summary={reviewsSummary(run)}
          startOpen={latest}
        >
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
        <FoldedSection title={t("Cost and time")} summary={money(run.costs.total_cost)}>
          {() => (
            <Suspense fallback={<Waiting />}>
              {run.costs && <CostTable costs={run.costs} />}
            </Suspense>
          )}
        </FoldedSection>
      )}
      {!running && run.answers.length === 0 && !hasFinal && run.status === "complete" && (
        <p className="quiet">{t("0 answers were stored for this question.")}</p>
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
