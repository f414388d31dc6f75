/** Several chairmen: each writes a draft, and the chairman picks the best and finishes it. */
import { lazy } from "react";
import { t } from "../../i18n";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { start } from "./start";
import { chairmenOf, events } from "./state";
import { chairmenSummary } from "./summary";

export const feature = {
  ...start,
  events,
  describe: (run) => {
    const drafting = chairmenOf(run);
    if (run.phase !== "stage3" || run.synthesis.text !== "" || !drafting) return null;
    return t("Stage 3: {{now}}.", { now: chairmenSummary(drafting) });
  },
  author: (run) => (chairmenOf(run) ? "several" : null),
  section: {
    of: chairmenOf,
    summary: chairmenSummary,
    Panel: lazy(() => orMissing(import("./panel"))),
  },
} satisfies Feature;
