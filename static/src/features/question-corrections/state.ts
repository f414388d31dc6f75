/** What the reader has added to the question of a run while its members answered. */
import type { Metadata, Schemas } from "../../api/types";
import { t } from "../../i18n";
import type { Handlers } from "../../run/feature";
import { list } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import { isLive, type RunState } from "../../run/state";
import { formatOf } from "../formats";

export type Correction = Schemas["QuestionCorrection"];

/** The server takes no more for one run. */
const most = 5;

const slice = sliceOf<readonly Correction[]>("question-corrections", []);
export const correctionsOf = slice.of;

const added = (run: RunState, more: readonly Correction[]): RunState => {
  const known = slice.of(run);
  const fresh = more.filter(({ id }) => !known.some((one) => one.id === id));
  return fresh.length > 0 ? slice.with(run, [...known, ...fresh]) : run;
};

export const events = {
  run_started: (run, { corrections }) => added(run, list(corrections)),
  correction_added: (run, { data }) => (data ? added(run, [data]) : run),
} satisfies Partial<Handlers>;

export const stored = (run: RunState, { corrections }: Metadata) => added(run, list(corrections));

/** Whether something can be added still: the members of a council answer, and nobody has begun to judge. */
export const isOpen = (run: RunState): boolean =>
  isLive(run) &&
  formatOf(run) === null &&
  run.answers.length > 1 &&
  run.reviews.length === 0 &&
  run.synthesis.status === "waiting" &&
  slice.of(run).length < most;

/** The question as it is asked when it is asked anew. */
export const askedAnew = (question: string, run: RunState): string =>
  [question, ...slice.of(run).map(({ text }) => t("Correction: {{text}}", { text }))].join("\n\n");
