/** Second reading: where the first ballots disagree, the reviewers read the answers again in the reverse order. */
import { t } from "../../i18n";
import type { Feature } from "../feature";
import { SecondReadingNote } from "./note";
import { start } from "./start";
import { events, secondReadingOf, stored } from "./state";

export const feature = {
  ...start,
  events,
  stored,
  describe: (run) =>
    run.phase === "stage2" && secondReadingOf(run)?.held && run.facts === null
      ? t("Stage 2: the answers are read again in the reverse order.")
      : null,
  notes: { ranking: SecondReadingNote },
} satisfies Feature;
