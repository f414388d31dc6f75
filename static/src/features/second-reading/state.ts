/** Second reading: whether it was held, and why. What came of it stands with the reviews. */
import type { Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { sliceOf } from "../../run/slice";
import type { ReviewState, RunState } from "../../run/state";

export type SecondReading = Schemas["SecondReading"];

const slice = sliceOf<SecondReading | null>("second-reading", null);
/** Null where it was not asked for, or until it is known. */
export const secondReadingOf = slice.of;

/** The reviews as `change` makes them. */
const changed = (
  run: RunState,
  members: readonly string[],
  change: (review: ReviewState) => ReviewState,
): RunState => ({
  ...run,
  reviews: run.reviews.map((review) =>
    members.includes(review.seat.member) ? change(review) : review,
  ),
});

export const events = {
  // The first reviews do not count any longer when others begin.
  stage2_start: (run) => slice.with(run, null),
  second_reading_start: (run, event) => {
    const members = (event.members ?? []).map(({ member }) => member);
    const since = event.started_at ?? null;
    const asked = changed(run, members, (review) => ({ ...review, status: "writing", since }));
    return event.data ? slice.with(asked, event.data) : asked;
  },
  // Whether it failed or not: the first review is there.
  second_reading_model_complete: (run, event) =>
    event.data
      ? changed(run, [event.member], (review) => ({
          ...review,
          status: "done",
          result: review.result && { ...review.result, second: event.data },
        }))
      : run,
  stage2_complete: (run, event) => {
    const info = event.metadata?.second_reading;
    return info ? slice.with(run, info) : run;
  },
} satisfies Partial<Handlers>;

export const stored = (run: RunState, { second_reading: info }: Metadata) =>
  info ? slice.with(run, info) : run;
