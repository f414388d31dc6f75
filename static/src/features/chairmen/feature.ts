/** Several chairmen: each writes a draft, and the chairman picks the best and finishes it. */
import { lazy } from "react";
import { msg, t } from "../../i18n";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { chairmenOf, events } from "./state";
import { chairmenSummary } from "./summary";

export const chairmen = {
  name: "chairmen",
  title: msg("Several chairmen"),
  events,
  option: {
    field: "use_multi_chairman",
    group: "final",
    obstacle: ({ multi_chairman_models: models }) =>
      models.length > 0 ? null : t("No drafting chairmen are set."),
  },
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
