import "../../styles/ballots.css";
import { useMemo } from "react";
import type { Review } from "../../api/types";
import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import type { ReviewState, RunState } from "../../run/state";
import { CopyButton } from "../../ui/copy";
import { Details } from "../../ui/disclosure";
import { duration, money, shortName } from "../../ui/format";
import { reviewMarkdown, reviewsMarkdown } from "../export/markdown";
import { CallFailure } from "../failures/call-failure";
import { membersOf } from "../formats";
import { Awaited } from "../waiting/awaited";
import { Aggregate, Matrix } from "./aggregate";
import { ReviewNotes } from "./card-notes";
import { abstentionNotes, parseNotes } from "./describe";
import { FeatureNotes } from "./feature-notes";
import { Monogram } from "./monogram";
import { ServedBy } from "./served-by";

type Names = Readonly<Record<string, string>>;

function ParsedRanking({ review, names }: { review: ReviewState["result"]; names: Names }) {
  if (!review) return null;
  const note = parseNotes[review.parse];
  const tiers = review.tiers?.length ? review.tiers : review.parsed_ranking.map((l) => [l]);
  return (
    <div className="parsed">
      <p className="parsed-head">
        <span className={`badge badge-${review.parse}`}>{note && t(note.badge)}</span>
        {review.repaired && <span className="badge">{t("asked once more")}</span>}
        {!review.counts && review.parse !== "none" && (
          <span className="badge badge-none">{t("not counted")}</span>
        )}
      </p>
      {review.parse !== "strict" && <p className="quiet">{note && t(note.meaning)}</p>}
      {tiers.length > 0 && (
        <ol className="parsed-list">
          {tiers.map((tier) => (
            <li key={tier.join()}>
              {tier.map((label) => names[label] ?? label).join(" = ")}
              {tier.length > 1 && <span className="quiet"> {t("(tied)")}</span>}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** What a reviewer said when it read the answers again; the ranking above is of both readings. */
function Again({
  second,
  first = [],
  names,
}: {
  second: Review["second"];
  first: Review["first_tiers"];
  names: Names;
}) {
  if (!second) return null;
  return (
    <>
      {second.error && (
        <CallFailure
          kind={second.error_kind}
          fact={second.error_fact}
          text={second.error}
          otherwise={t("This review failed")}
        />
      )}
      {first.length > 0 && (
        <p className="quiet">
          {t("First reading: {{order}}", {
            order: first
              .map((tier) => tier.map((label) => names[label] ?? label).join(" = "))
              .join(" > "),
          })}
        </p>
      )}
      {!second.error && <ParsedRanking review={second} names={names} />}
      {second.ranking && <Markdown text={second.ranking} names={names} />}
    </>
  );
}

interface CardProps {
  review: ReviewState;
  seat: number;
  /** Labels as short names, and as the members' own. */
  names: Names;
  labels: Names;
}

function ReviewCard({ review, seat, names, labels }: CardProps) {
  const { result } = review;
  const name = shortName(review.seat.member);
  return (
    <article
      className="review"
      aria-label={t("Review by {{member}}", { member: review.seat.member })}
    >
      <header className="answer-head">
        <Monogram member={review.seat.member} seat={seat} />
        <div className="answer-who">
          <h4>{name}</h4>
          <ServedBy model={result?.served_by} />
          {result && (
            <span className="model-id">
              {[duration(result.latency_ms), money(result.cost)].filter(Boolean).join(" · ")}
            </span>
          )}
        </div>
        {review.status !== "done" && (
          <span className={`status status-${review.status}`}>
            {review.status === "failed" ? t("failed") : t("reviewing")}
          </span>
        )}
        {result?.ranking && (
          <CopyButton
            label={t("Copy")}
            name={t("Copy the review by {{name}}", { name })}
            text={() => reviewMarkdown(review, labels)}
          />
        )}
      </header>
      <ReviewNotes seat={review.seat} />
      {review.status === "writing" && (
        <Awaited member={review.seat.member} stage="stage2" since={review.since} />
      )}
      {review.status === "failed" && (
        <CallFailure
          kind={result?.error_kind}
          fact={result?.error_fact}
          text={result?.error}
          otherwise={t("This review failed")}
        />
      )}
      {review.status === "done" && <ParsedRanking review={result} names={names} />}
      {result?.reasoning && (
        <Details title={t("Reasoning")}>{() => <Markdown text={result.reasoning ?? ""} />}</Details>
      )}
      {result?.ranking && (
        <Details title={t("Full review")}>
          {() => <Markdown text={result.ranking} names={names} />}
        </Details>
      )}
      {result?.second && (
        <Details title={t("Read again in the reverse order")}>
          {() => <Again second={result.second} first={result.first_tiers} names={names} />}
        </Details>
      )}
      {result?.repair_text && (
        <Details title={t("When asked once more")}>
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
  const seats = membersOf(run);
  return (
    <div className="reviews">
      <Aggregate run={run} />
      <FeatureNotes place="ranking" run={run} />
      <Matrix run={run} />
      {run.reviews.some((review) => review.result?.ranking) && (
        <p className="quiet">
          {t("The names are for you: the reviewers saw only labels such as “Response A”.")}
        </p>
      )}
      <div className="review-list">
        {run.reviews.map((review) => (
          <ReviewCard
            key={review.seat.member}
            review={review}
            seat={Math.max(0, seats.indexOf(review.seat.member))}
            names={names}
            labels={run.labelToMember}
          />
        ))}
      </div>
      {run.abstained.length > 0 && (
        <ul className="abstained">
          {run.abstained.map(({ member, reason }) => (
            <li key={member}>
              {shortName(member)} {t(abstentionNotes[reason])}
            </li>
          ))}
        </ul>
      )}
      {run.reviews.some((review) => review.result?.ranking) && (
        <p className="review-copy">
          <CopyButton label={t("Copy all reviews as Markdown")} text={() => reviewsMarkdown(run)} />
        </p>
      )}
    </div>
  );
}
