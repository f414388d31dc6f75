import { lazy, Suspense, useMemo } from "react";
import { Markdown } from "../../markdown/markdown";
import type { ReviewState, RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { duration, money, shortName } from "../../ui/format";
import { Aggregate, Matrix } from "./aggregate";
import { errorTitles, parseNotes } from "./describe";
import { Monogram } from "./monogram";

const Weights = lazy(() => import("../weights/weights"));

function weightsSummary({ weights, aggregate }: RunState): string {
  if (aggregate.some((row) => row.weights_applied)) return "What each ballot weighed";
  if (!weights?.has_historical_data) return "Weights: all the same, no model has a record yet";
  return "Weights: they made no difference";
}

type Names = Readonly<Record<string, string>>;

function ParsedRanking({ review, names }: { review: ReviewState["result"]; names: Names }) {
  if (!review) return null;
  const tiers = review.tiers?.length ? review.tiers : review.parsed_ranking.map((l) => [l]);
  return (
    <div className="parsed">
      <p className="parsed-head">
        <span className={`badge badge-${review.parse}`}>{parseNotes[review.parse]?.badge}</span>
        {review.repaired && <span className="badge">asked once more</span>}
        {!review.counts && review.parse !== "none" && (
          <span className="badge badge-none">not counted</span>
        )}
      </p>
      {review.parse !== "strict" && <p className="quiet">{parseNotes[review.parse]?.meaning}</p>}
      {tiers.length > 0 && (
        <ol className="parsed-list">
          {tiers.map((tier) => (
            <li key={tier.join()}>
              {tier.map((label) => names[label] ?? label).join(" = ")}
              {tier.length > 1 && <span className="quiet"> (tied)</span>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function ReviewCard({ review, seat, names }: { review: ReviewState; seat: number; names: Names }) {
  const { result } = review;
  const name = shortName(review.seat.member);
  return (
    <article className="review" aria-label={`Review by ${review.seat.member}`}>
      <header className="answer-head">
        <Monogram member={review.seat.member} seat={seat} />
        <div className="answer-who">
          <h4>{name}</h4>
          {result && (
            <span className="model-id">
              {[duration(result.latency_ms), money(result.cost)].filter(Boolean).join(" · ")}
            </span>
          )}
        </div>
        {review.status !== "done" && (
          <span className={`status status-${review.status}`}>
            {review.status === "failed" ? "failed" : "reviewing"}
          </span>
        )}
      </header>
      {review.status === "failed" && (
        <div className="failure">
          <strong>
            {(result?.error_kind && errorTitles[result.error_kind]) ?? "This review failed"}
          </strong>
          {result?.error && <p>{result.error}</p>}
        </div>
      )}
      {review.status === "done" && <ParsedRanking review={result} names={names} />}
      {result?.reasoning && (
        <Details title="Reasoning">{() => <Markdown text={result.reasoning ?? ""} />}</Details>
      )}
      {result?.ranking && (
        <Details title="Full review">
          {() => <Markdown text={result.ranking} names={names} />}
        </Details>
      )}
      {result?.repair_text && (
        <Details title="When asked once more">
          {() => <Markdown text={result.repair_text ?? ""} names={names} />}
        </Details>
      )}
    </article>
  );
}

export function Reviews({ run }: { run: RunState }) {
  const names = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(run.labelToMember).map(([label, member]) => [label, shortName(member)]),
      ),
    [run.labelToMember],
  );
  const seats = run.answers.map((answer) => answer.seat.member);
  return (
    <div className="reviews">
      <Aggregate run={run} />
      {run.weights && (
        <Details title={weightsSummary(run)}>
          {() => (
            <Suspense fallback={<p className="quiet">Loading…</p>}>
              {run.weights && <Weights weights={run.weights} />}
            </Suspense>
          )}
        </Details>
      )}
      <Matrix run={run} />
      <div className="review-list">
        {run.reviews.map((review) => (
          <ReviewCard
            key={review.seat.member}
            review={review}
            seat={Math.max(0, seats.indexOf(review.seat.member))}
            names={names}
          />
        ))}
      </div>
    </div>
  );
}
