/** The devil's advocate: attacks the answer, which is revised when the attack is grave. */
import { lazy } from "react";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { start } from "./start";
import { type AdversaryState, adversaryOf, events, settle, stored } from "./state";
import { AdversarySummary } from "./summary";

const isIn = (run: RunState) => adversaryOf(run) !== null;

export const feature = {
  ...start,
  events,
  settle,
  stored,
  stage: { key: "adversary", place: "last", isIn },
  describe: (run) => {
    if (run.phase !== "adversary") return null;
    return adversaryOf(run)?.status === "revising"
      ? t("Devil’s advocate: the answer is revised.")
      : t("Devil’s advocate: the answer is attacked.");
  },
  revision: (run) => {
    const attack = adversaryOf(run);
    return attack?.revised ? attack.revision : null;
  },
  section: {
    of: adversaryOf,
    summary: (state: AdversaryState) => <AdversarySummary adversary={state} />,
    Panel: lazy(() => orMissing(import("./panel"))),
  },
} satisfies Feature;
