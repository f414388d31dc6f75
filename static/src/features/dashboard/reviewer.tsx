/** What one model's ballots show of its leanings as a reviewer. */
import { type Reach, useReviewers } from "../../api/insight";
import type { Leaning, Reviewer } from "../../api/types";
import { msg, t } from "../../i18n";
import { count, numberFormat } from "../../ui/format";
import { Answered, Nothing, Panel } from "./panel";

/** With fewer ballots chance alone makes large figures. */
const leastBallots = 10;

interface Kind {
  field: "own" | "position" | "length" | "family";
  name: string;
  /** For a figure above and below zero, and for one that may be zero. */
  above: string;
  below: string;
  none: string;
}

const higher = msg("Places them {{places}} higher than the others do.");
const lower = msg("Places them {{places}} lower than the others do.");
const neither = msg("No sign so far that it places them higher or lower than the others do.");

const kinds: readonly Kind[] = [
  { field: "own", name: msg("Its own answers"), above: higher, below: lower, none: neither },
  {
    field: "position",
    name: msg("What it reads first"),
    above: msg("Places what it reads first {{places}} higher than what it reads last."),
    below: msg("Places what it reads first {{places}} lower than what it reads last."),
    none: msg("No sign so far that the order in which it reads makes a difference."),
  },
  {
    field: "length",
    name: msg("Long answers"),
    above: msg(
      "Favours them: it ranks the longest answer {{places}} higher, compared with the shortest, than the others do.",
    ),
    below: msg(
      "Favours short ones: it ranks the shortest answer {{places}} higher, compared with the longest, than the others do.",
    ),
    none: msg("No sign so far that it favours long or short ones more than the others do."),
  },
  {
    field: "family",
    name: msg("Its maker’s other models"),
    above: higher,
    below: lower,
    none: neither,
  },
];

/** Places in a ranking of this many answers are easier to imagine than parts of any ranking. */
const answers = 4;

const tenths = numberFormat({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
const hundredths = numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 });

const inPlaces = (part: number) => Math.abs(part) * (answers - 1);

function placesText(part: number): string {
  const places = inPlaces(part);
  return t("{{places}} places", {
    places: places < 0.1 ? hundredths(places) : tenths(places),
  });
}

/** A leaning that can be told from chance or not; null where there are too few ballots for either. */
export interface Measured {
  mean: number;
  /** Twice the standard error: the truth is between both in 19 of 20 cases. */
  within: number;
  ballots: number;
  isSure: boolean;
}

export function measured(leaning: Leaning | null | undefined): Measured | null {
  const error = leaning?.error ?? null;
  if (!leaning || error === null || leaning.ballots < leastBallots) return null;
  const within = 2 * error;
  return {
    mean: leaning.mean,
    within,
    ballots: leaning.ballots,
    isSure: Math.abs(leaning.mean) > within,
  };
}

/** The place of a value on a scale of 0 to 100 with zero in the middle; all bars of a model share it. */
export function leaningScale(all: readonly Measured[]) {
  const farthest = Math.max(0.25, ...all.map(({ mean, within }) => Math.abs(mean) + within));
  return (value: number) => 50 + (50 * value) / (farthest * 1.04);
}

function LeaningBar({ at, of }: { at: (value: number) => number; of: Measured }) {
  const [low, high] = [at(of.mean - of.within), at(of.mean + of.within)];
  return (
    <svg
      className={of.isSure ? "interval" : "interval interval-unsure"}
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <line className="leaning-track" x1="0" x2="100" y1="10" y2="10" />
      <rect className="interval-span" x={low} width={Math.max(0.5, high - low)} y="6" height="8" />
      <line className="interval-mean" x1={at(0)} x2={at(0)} y1="0" y2="20" />
      <line className="interval-rating" x1={at(of.mean)} x2={at(of.mean)} y1="3" y2="17" />
    </svg>
  );
}

function sentenceOf(kind: Kind, { mean, isSure }: Measured): string {
  if (!isSure) return t(kind.none);
  return t(mean > 0 ? kind.above : kind.below, { places: placesText(mean) });
}

function figuresOf({ within, ballots, isSure }: Measured): string {
  const figures = { ballots: count(ballots), places: placesText(within) };
  // So small that it would be shown as nothing.
  if (inPlaces(within) < 0.005) return t("{{ballots}} ballots.", figures);
  return isSure
    ? t("{{ballots}} ballots; give or take {{places}}.", figures)
    : t(
        "{{ballots}} ballots; a difference of less than {{places}} would not be seen yet.",
        figures,
      );
}

function Line({
  kind,
  leaning,
  at,
}: {
  kind: Kind;
  leaning: Leaning | null | undefined;
  at: (value: number) => number;
}) {
  const of = measured(leaning);
  return (
    <div className="leaning">
      <dt>{t(kind.name)}</dt>
      <dd>
        {of ? (
          <>
            <LeaningBar at={at} of={of} />
            <p>
              {sentenceOf(kind, of)} <span className="leaning-figures">{figuresOf(of)}</span>
            </p>
          </>
        ) : (
          <p className="quiet">
            {t("Too few ballots to say: {{have}} so far, {{needed}} are needed.", {
              have: count(leaning?.ballots ?? 0),
              needed: count(leastBallots),
            })}
          </p>
        )}
      </dd>
    </div>
  );
}

/** Every leaning of one reviewer, in a sentence and a bar each. */
export function Leanings({ reviewer }: { reviewer: Reviewer }) {
  const all = kinds.flatMap(({ field }) => measured(reviewer[field]) ?? []);
  const at = leaningScale(all);
  return (
    <>
      <dl className="leanings">
        {kinds.map((kind) => (
          <Line key={kind.field} kind={kind} leaning={reviewer[kind.field]} at={at} />
        ))}
      </dl>
      <p className="quiet">
        {t("From {{count, number}} ballots in all.", { count: reviewer.ballots })}{" "}
        {all.length > 0 &&
          t(
            "Places are those of a ranking of four answers. A bar shows how far off the figure may be: the true one is nearly always within it (19 times out of 20). The dashed line in the middle stands for no preference.",
          )}
      </p>
    </>
  );
}

/** The part of a model's page that says what it is like as a reviewer. */
export function AsReviewer({ reach, model }: { reach: Reach; model: string }) {
  const reviewers = useReviewers(reach);
  return (
    <Panel
      title={t("As a reviewer")}
      lead={t(
        "What its rankings favour, compared with how the other reviewers ranked the same answers.",
      )}
    >
      <Answered
        query={reviewers}
        failed={msg("The figures on its reviews could not be loaded: {{reason}}")}
        lines={4}
      >
        {({ models }) => {
          const reviewer = models[model];
          return reviewer ? (
            <Leanings reviewer={reviewer} />
          ) : (
            <Nothing>
              <p className="quiet">{t("None of its ballots counted in this period.")}</p>
            </Nothing>
          );
        }}
      </Answered>
    </Panel>
  );
}
