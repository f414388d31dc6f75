import { useContext } from "react";
import type { Editorial } from "../../api/types";
import { msg, t } from "../../i18n";
import { CitedText } from "../../markdown/cites";
import { Markdown } from "../../markdown/markdown";
import { TopHeading } from "../../markdown/top-heading";
import type { RunState } from "../../run/state";
import { CopyButton } from "../../ui/copy";
import { Details, showSection } from "../../ui/disclosure";
import { duration, money, shortName } from "../../ui/format";
import { Said, type SaidText } from "../../ui/said";
import { AskMenu, AskMissing } from "../again/actions";
import { hasGaps, useAskable } from "../again/context";
import { finalMarkdown } from "../export/markdown";
import { CallFailure } from "../failures/call-failure";
import { reasonText } from "../failures/facts";
import { Feedback } from "../feedback/feedback";
import { formatOf } from "../formats";
import { Awaited } from "../waiting/awaited";
import { AloneNotes, aloneIn } from "./alone";
import { BestRanked } from "./best-ranked";
import { describeRun, reviewsId, reviewsSummary } from "./describe";
import { authorOf, isDraft } from "./drafts";
import { FeatureNotes } from "./feature-notes";
import { headingOf } from "./heading";
import { notesOf } from "./notes";
import { TurnNumber } from "./turn-number";

/** The lists of the notes; what became of single ideas stands with the ideas. */
type Part = Exclude<keyof Editorial, "only_one_ideas">;

const parts: [Part, string][] = [
  ["contradictions", msg("Where members contradict each other")],
  ["minority", msg("The minority's view")],
  ["only_one", msg("What only one saw")],
  ["none_covered", msg("What none covered")],
  ["agreements", msg("Where they agree")],
];

/** Large enough to be read before the answer: members contradict, and do so more than they agree. */
export function isLarge(editorial: Editorial): boolean {
  const against = (editorial.contradictions?.length ?? 0) + (editorial.minority?.length ?? 0);
  return against >= 2 && against > (editorial.agreements?.length ?? 0);
}

const isEmpty = (editorial: Editorial) => parts.every(([key]) => !editorial[key]?.length);

/** What only one member saw, and what became of it where the chairman says so. */
function Idea({ editorial, at }: { editorial: Editorial; at: number }) {
  const { only_one: points = [], only_one_ideas: ideas = [] } = editorial;
  const idea = ideas.length === points.length ? ideas[at] : undefined;
  if (typeof idea?.kept !== "boolean") return points[at];
  return (
    <>
      {idea.text}{" "}
      <span className={idea.kept ? "badge badge-kind" : "badge"}>
        {idea.kept ? t("kept") : t("left out")}
      </span>
      {idea.why && <span className="quiet"> {idea.why}</span>}
    </>
  );
}

function Disagreement({ editorial, only }: { editorial: Editorial; only?: Part[] }) {
  const shown = only ? parts.filter(([key]) => only.includes(key)) : parts;
  return (
    <div className="editorial">
      {shown.map(([key, title]) =>
        editorial[key]?.length ? (
          <div key={key}>
            <p className="editorial-title">{t(title)}</p>
            <ul>
              {editorial[key].map((point, at) => (
                <li key={point}>
                  {key === "only_one" ? (
                    <Idea editorial={editorial} at={at} />
                  ) : (
                    <CitedText text={point} />
                  )}
                </li>
              ))}
            </ul>
          </div>
        ) : null,
      )}
    </div>
  );
}

/** What went wrong. The heading has said so already; a long list does not stand before the answer. */
function Notes({ notes }: { notes: readonly SaidText[] }) {
  if (notes.length === 0) return null;
  const list = (
    <ul className="final-notes">
      {notes.map((note) => (
        <li key={note.text}>
          <Said {...note} />
        </li>
      ))}
    </ul>
  );
  if (notes.length <= 2) return list;
  return (
    <Details title={t("What went wrong ({{notes}})", { notes: notes.length })}>
      {() => list}
    </Details>
  );
}

/** Who writes or wrote it, how long that took and what it cost. */
function byline(run: RunState): string {
  const { synthesis } = run;
  const { result } = synthesis;
  const author = authorOf(run);
  const name = shortName(result?.alias ?? result?.model ?? synthesis.model ?? "");
  const model = result?.served_by ? `${name} (${shortName(result.served_by)})` : name;
  const parts: string[] = [];
  if (model && synthesis.status === "writing") {
    if (author !== "several") parts.push(t("Writing: {{model}}", { model }));
  } else if (model && result?.fallback_for) {
    const other = shortName(result.fallback_for);
    parts.push(t("Written by {{model}}, in place of {{other}}", { model, other }));
  } else if (model) {
    parts.push(t("Written by {{model}}", { model }));
  }
  // A member's own answer was paid for where it stands, unless it stands here alone.
  const paid = aloneIn(run)?.result ?? (author === "member" ? null : result);
  if (paid) parts.push(duration(paid.latency_ms), money(paid.cost));
  if (result?.draft) parts.push(t("revised since"));
  return parts.filter(Boolean).join(" · ");
}

interface Props {
  run: RunState;
  /** It was asked for again since. */
  earlier: boolean;
  onCopyAll: () => string;
}

/** The outcome: the heading says what it is, and what went wrong stands above the text. */
export function FinalAnswer({ run, earlier, onCopyAll }: Props) {
  const askable = useAskable();
  const number = useContext(TurnNumber);
  const { synthesis } = run;
  const { result } = synthesis;
  const writing = synthesis.status === "writing";
  const editorial =
    result?.disagreement && !isEmpty(result.disagreement) ? result.disagreement : null;
  const large = editorial !== null && isLarge(editorial);
  const draft = isDraft(run);
  const format = formatOf(run);
  const bySeveral = authorOf(run) === "several";
  const named = draft || !result ? null : headingOf(result);
  const heading =
    (draft && t("Draft of the final answer")) ||
    (writing ? t("The final answer is being written") : t("Unfinished answer"));
  const failed = synthesis.status === "failed";
  const alone = aloneIn(run);
  return (
    <section
      className="final"
      aria-label={number === null ? t("Final answer") : t("Final answer {{number}}", { number })}
    >
      <header className="final-head">
        <h3>{named ? <Said {...named} /> : heading}</h3>
        <p className="final-by">
          {byline(run)}
          {result && run.facts && !draft && !format && (
            <>
              {" · "}
              <button type="button" onClick={() => showSection(reviewsId(run))}>
                {reviewsSummary(run)}
              </button>
            </>
          )}
        </p>
      </header>
      {writing && !bySeveral && synthesis.model && (
        <Awaited key={synthesis.model} member={synthesis.model} since={synthesis.since} />
      )}
      {draft && (
        <p className="final-now">
          <span className="link-dot" aria-hidden="true" />
          {describeRun(run)}
        </p>
      )}
      <FeatureNotes place="final" run={run} />
      <Notes notes={result ? notesOf(result) : []} />
      {!result &&
        synthesis.failures.map((failure) => (
          <p key={failure.model} className="final-notes">
            {t("{{member}} could not write the final answer: {{reason}}.", {
              member: shortName(failure.model),
              reason: reasonText(failure),
            })}
          </p>
        ))}
      {failed && (
        <CallFailure
          kind={result?.error_kind}
          fact={result?.error_fact}
          text={result?.error}
          otherwise={t("The chairman did not finish.")}
          titled={!result?.error}
        />
      )}
      {large && editorial && (
        <Disagreement editorial={editorial} only={["contradictions", "minority"]} />
      )}
      {alone && <AloneNotes answer={alone} />}
      {synthesis.reasoning && !alone && (
        <Details title={t("Reasoning")}>
          {() => <Markdown text={synthesis.reasoning} streaming={writing} />}
        </Details>
      )}
      <div className="final-text">
        {synthesis.text ? (
          <TopHeading value={4}>
            <Markdown text={synthesis.text} streaming={writing} />
          </TopHeading>
        ) : (
          writing && (
            <p className="quiet">
              {bySeveral
                ? describeRun(run)
                : t(format?.reading ?? "Reading the answers and the reviews…")}
            </p>
          )
        )}
      </div>
      {result?.truncated && !alone && (
        <p className="flags">{t("Cut off at the model's length limit.")}</p>
      )}
      <FeatureNotes place="verdict" run={run} />
      {editorial && (
        <Details title={t("Where the members agree and differ")}>
          {() => <Disagreement editorial={editorial} />}
        </Details>
      )}
      <BestRanked run={run} />
      {/* Nothing of it is fetched once it is wanted: what is below, and perhaps just being pressed, would move as it came. */}
      {result && synthesis.text && (
        <footer className="answer-foot">
          <CopyButton label={t("Copy answer")} text={() => finalMarkdown(run)} copies="final" />
          <CopyButton label={t("Copy all as Markdown")} text={onCopyAll} />
          {askable && (
            <>
              <AskMenu run={run} parts={format?.again} />
              {run.status === "complete" && hasGaps(run) && <AskMissing stopped={false} quiet />}
            </>
          )}
          {run.runId && run.status === "complete" && !earlier && (
            <Feedback run={run} runId={run.runId} />
          )}
        </footer>
      )}
    </section>
  );
}
