/** Refinement: members criticise the draft, and the chairman revises it, round after round. */
import { lazy } from "react";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { start } from "./start";
import { events, refinementOf, settle, stored } from "./state";
import { refinementNow, refinementSummary } from "./summary";

const isIn = (run: RunState) => refinementOf(run) !== null;

export const feature = {
  ...start,
  events,
  settle,
  stored,
  stage: {
    key: "refinement",
    place: "last",
    isIn,
    detail: (run) => {
      const rounds = refinementOf(run)?.iterations.length ?? 0;
      return rounds ? t("round {{round}}", { round: rounds }) : "";
    },
  },
  describe: (run) =>
    run.phase === "refinement"
      ? t("Refinement: {{now}}.", { now: refinementNow(refinementOf(run)) })
      : null,
  revision: (run) =>
    refinementOf(run)?.iterations.findLast(({ status }) => status === "done")?.text ?? null,
  section: {
    of: refinementOf,
    summary: refinementSummary,
    Panel: lazy(() => orMissing(import("./panel"))),
  },
} satisfies Feature;
