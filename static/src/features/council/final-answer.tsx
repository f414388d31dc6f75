import { lazy, Suspense } from "react";
import type { Editorial } from "../../api/types";
import { Markdown } from "../../markdown/markdown";
import { isLive, type RunState } from "../../run/state";
import { CopyButton } from "../../ui/copy";
import { Details } from "../../ui/disclosure";
import { duration, money, shortName } from "../../ui/format";
import { ConsensusNote } from "../consensus/consensus-note";
import { describeRun, errorTitles } from "./describe";

const Feedback = lazy(() => import("../feedback/feedback"));

const parts: [keyof Editorial, string][] = [
  ["contradictions", "Where members contradict each other"],
  ["minority", "The minority's view"],
  ["only_one", "What only one saw"],
  ["none_covered", "What none covered"],
  ["agreements", "Where they agree"],
];

/** Large enough to be read before the answer: members contradict, and do so more than they agree. */
export function isLarge(editorial: Editorial): boolean {
  const against = (editorial.contradictions?.length ?? 0) + (editorial.minority?.length ?? 0);
  return against >= 2 && against > (editorial.agreements?.length ?? 0);
}

const isEmpty = (editorial: Editorial) => parts.every(([key]) => !editorial[key]?.length);

function Disagreement({ editorial, only }: { editorial: Editorial; only?: (keyof Editorial)[] }) {
  const shown = only ? parts.filter(([key]) => only.includes(key)) : parts;
  return (
    <div className="editorial">
      {shown.map(([key, title]) =>
        editorial[key]?.length ? (
          <div key={key}>
            <p className="editorial-title">{title}</p>
            <ul>
              {editorial[key].map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          </div>
        ) : null,
      )}
    </div>
  );
}

/** What went wrong. The heading has said so already; a long list does not stand before the answer. */
function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  const list = (
    <ul className="final-notes">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
  if (notes.length <= 2) return list;
  return <Details title={`What went wrong (${notes.length})`}>{() => list}</Details>;
}

/** The outcome: the heading says what it is, and what went wrong stands above the text. */
export function FinalAnswer({ run, onCopyAll }: { run: RunState; onCopyAll: () => string }) {
  const { synthesis } = run;
  const { result } = synthesis;
  const writing = synthesis.status === "writing";
  const editorial =
    result?.disagreement && !isEmpty(result.disagreement) ? result.disagreement : null;
  const large = editorial !== null && isLarge(editorial);
  const polishing = isLive(run) && (run.phase === "refinement" || run.phase === "adversary");
  const heading =
    (polishing && "Draft of the final answer") ||
    result?.heading ||
    (writing ? "The final answer is being written" : "Unfinished answer");
  const by = shortName(result?.alias ?? result?.model ?? synthesis.model ?? "");
  const failed = synthesis.status === "failed";
  return (
    <section className="final" aria-label="Final answer">
      <header className="final-head">
        <h3>{heading}</h3>
        <p className="final-by">
          {by && `${writing ? "Writing:" : "Written by"} ${by}`}
          {result?.fallback_for && `, in place of ${shortName(result.fallback_for)}`}
          {result &&
            ` · ${[duration(result.latency_ms), money(result.cost)].filter(Boolean).join(" · ")}`}
          {result?.draft && " · revised since"}
        </p>
      </header>
      {polishing && (
        <p className="final-now">
          <span className="link-dot" aria-hidden="true" />
          {describeRun(run)}
        </p>
      )}
      {run.consensus?.is_consensus && <ConsensusNote info={run.consensus} />}
      <Notes notes={result?.notes ?? []} />
      {!result &&
        synthesis.failures.map((failure) => (
          <p key={failure.model} className="final-notes">
            {shortName(failure.model)} could not write the answer:{" "}
            {failure.kind ? `${errorTitles[failure.kind].toLowerCase()}. ` : ""}
            {failure.error}
          </p>
        ))}
      {failed && (
        <div className="failure">
          <strong>No final answer</strong>
          <p>{result?.error ?? "The chairman did not finish."}</p>
        </div>
      )}
      {large && editorial && (
        <Disagreement editorial={editorial} only={["contradictions", "minority"]} />
      )}
      {synthesis.reasoning && (
        <Details title="Reasoning">{() => <Markdown text={synthesis.reasoning} />}</Details>
      )}
      <div className="final-text">
        {synthesis.text ? (
          <Markdown text={synthesis.text} streaming={writing} />
        ) : (
          writing && (
            <p className="quiet">
              {run.chairmen ? `${describeRun(run)}` : "Reading the answers and the reviews…"}
            </p>
          )
        )}
      </div>
      {result?.truncated && <p className="flags">Cut off at the model's length limit.</p>}
      {editorial && (
        <Details title="Where the members agree and differ">
          {() => <Disagreement editorial={editorial} />}
        </Details>
      )}
      {result && synthesis.text && (
        <footer className="answer-foot">
          <CopyButton label="Copy answer" text={() => synthesis.text} />
          <CopyButton label="Copy all as Markdown" text={onCopyAll} />
          {run.runId && run.status === "complete" && (
            <Suspense fallback={null}>
              <Feedback run={run} runId={run.runId} />
            </Suspense>
          )}
        </footer>
      )}
    </section>
  );
}
