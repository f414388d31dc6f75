import { lazy, memo, Suspense } from "react";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { isLive, type RunState } from "../../run/state";
import { FoldedSection } from "../../ui/disclosure";
import { rank } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { knownCost } from "../../ui/known-cost";
import { Notice } from "../../ui/notice";
import { orMissing } from "../../ui/part";
import { features } from "..";
import { AskMissing } from "../again/actions";
import { useAskable } from "../again/context";
import type { LiveRun } from "../asking/runs";
import { BudgetFigures, keyOf } from "../budgets/budget-notice";
import { toMarkdown } from "../export/markdown";
import { runFailure } from "../failures/run-failure";
import { formatOf, isSimulated, textsOf } from "../formats";
import { MonitorButton } from "../process/monitor-button";
import { aloneIn } from "./alone";
import { Answers } from "./answers";
import {
  answeredText,
  asksOne,
  describeRun,
  isStoppedByAdmin,
  reviewsId,
  reviewsSummary,
} from "./describe";
import { answerBefore } from "./drafts";
import { FeatureNotes } from "./feature-notes";
import { FinalAnswer } from "./final-answer";
import { IgnoredOptions } from "./ignored";
import { OwnPrompts } from "./own-prompts";
import { Reviews } from "./reviews";
import { Timeline } from "./timeline";

// What few runs have, or what is read only by those who open it.
const CostTable = lazy(() =>
  orMissing(import("./costs").then(({ CostTable }) => ({ default: CostTable }))),
);

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
  const parts = features.flatMap(({ answersSummary }) => answersSummary?.(run) ?? []);
  if (!asksOne(run)) parts.push(answeredText(run));
  if (run.confidence?.average)
    parts.push(
      t("average confidence {{confidence}}", { confidence: rank(run.confidence.average) }),
    );
  return parts.join(" · ");
}

function RunFailure({ run }: { run: RunState }) {
  const { what, advice, english } = runFailure(run);
  const hasText = textsOf(run).some(({ text }) => text !== "") || run.synthesis.text !== "";
  return (
    <>
      <strong lang={english ? "en" : undefined}>{what}</strong> {advice}
      {hasText && ` ${t("What had arrived is kept.")}`}
    </>
  );
}

/** One turn's whole deliberation: the final answer first, then how it came about. */
export const Deliberation = memo(function Deliberation(props: Props) {
  const all = <Parts {...props} />;
  return features.reduceRight(
    (inner, { name, Around }) =>
      Around ? (
        <Around key={name} run={props.run}>
          {inner}
        </Around>
      ) : (
        inner
      ),
    all,
  );
});

function Parts(props: Props) {
  const { question, run, live, latest, earlier = false, onReattach } = props;
  const running = isLive(run);
  const askable = useAskable();
  const { synthesis } = run;
  const format = formatOf(run);
  const askMissing = askable && <AskMissing stopped={run.status === "cancelled"} />;
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
      {running && !format && <Timeline run={run} alone={asksOne(run, live?.to)} />}
      {latest && !earlier && <MonitorButton run={run} />}
      {live?.refused && running && live.refused.kind !== "signed_out" && (
        <Notice tone="bad" urgent>
          {t("This page lost contact with the run: {{message}}", { message: live.refused.message })}{" "}
          <button type="button" className="quiet-button" onClick={onReattach}>
            {t("Try again")}
          </button>
        </Notice>
      )}
      {run.status === "failed" && (
        <Notice tone="bad">
          <RunFailure run={run} />
          {askMissing}
        </Notice>
      )}
      {run.status === "cancelled" && (
        <Notice tone="warn">
          <T
            text={
              isStoppedByAdmin(run)
                ? "<strong>Stopped by an administrator.</strong> What had arrived is kept."
                : "<strong>Stopped.</strong> What had arrived is kept."
            }
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
      <FeatureNotes place="head" run={run} />
      {hasFinal && (
        <FinalAnswer run={run} earlier={earlier} onCopyAll={() => toMarkdown(question, run)} />
      )}
      {features.map(({ name, title, section }) => {
        const state = section?.of(run);
        if (!section || !state) return null;
        return (
          <FoldedSection
            key={name}
            {...(section.id && { id: section.id(run) })}
            title={t(title)}
            summary={section.summary(state)}
            openWhile={section.isOpen?.(state, run) ?? false}
          >
            {() => (
              <Suspense fallback={<Waiting />}>
                <section.Panel state={state} run={run} before={answerBefore(name, run)} />
              </Suspense>
            )}
          </FoldedSection>
        );
      })}
      {format && (
        <Suspense fallback={<Waiting />}>
          <format.Body run={run} latest={latest} />
        </Suspense>
      )}
      {run.answers.length > 0 && !aloneIn(run) && (
        <FoldedSection
          title={asksOne(run) ? t("Answer") : t("Answers")}
          summary={answersSummary(run)}
          startOpen={latest}
        >
          {() => (
            <div className="stage">
              <FeatureNotes place="answers" run={run} />
              <Answers answers={run.answers} />
            </div>
          )}
        </FoldedSection>
      )}
      {run.reviews.length > 0 && (
        <FoldedSection
          id={reviewsId(run)}
          title={t(format?.reviews?.title ?? "Reviews")}
          summary={reviewsSummary(run)}
          startOpen={latest && !format}
        >
          {() => (
            <div className="stage">
              {format?.reviews && <p className="quiet">{t(format.reviews.lead)}</p>}
              <FeatureNotes place="reviews" run={run} />
              <Reviews run={run} />
            </div>
          )}
        </FoldedSection>
      )}
      {run.costs && (
        <FoldedSection
          title={t("Cost and time")}
          summary={knownCost(run.costs.total_cost, run.costs.unknown_cost_calls)}
        >
          {() => (
            <Suspense fallback={<Waiting />}>
              {run.costs && (
                <CostTable
                  costs={run.costs}
                  nameOf={(key, name) => format?.stageName(run, key) ?? t(name)}
                />
              )}
              <OwnPrompts prompts={run.prompts} />
            </Suspense>
          )}
        </FoldedSection>
      )}
      {!running &&
        !format &&
        run.answers.length === 0 &&
        !hasFinal &&
        run.status === "complete" && (
          <p className="quiet">{t("No answers were stored for this question.")}</p>
        )}
    </div>
  );
}

/** Read out politely; changes with stages and results only. */
export function LiveStatus({ run }: { run: RunState | null }) {
  return (
    <p className="visually-hidden" role="status" aria-live="polite" data-testid="run-status">
      {run ? describeRun(run) : ""}
    </p>
  );
}
