/** What is known of it before a run has it: see `feature.ts`. */
import { lazy } from "react";
import { msg, t } from "../../i18n";
import { orMissing } from "../../ui/part";
import type { FeatureStart } from "../feature";

export const start = {
  name: "cache",
  title: msg("Reuse earlier answers"),
  option: {
    field: "use_cache",
    group: "answers",
    everyFormat: true,
    amount: {
      field: "cache_similarity_threshold",
      byDefault: 0.92,
      least: 0.5,
      most: 1,
      fraction: true,
    },
    way: {
      field: "cache_mode",
      byDefault: "offer",
      byServer: "serve",
      values: ["offer", "serve", "exact"],
    },
    chip: ({ cache_mode }) =>
      cache_mode === "serve"
        ? t("Reuse answers without asking")
        : cache_mode === "exact"
          ? t("Reuse answers to the same text")
          : t("Reuse earlier answers"),
    obstacle: ({ features }) => (features.cache ? null : t("This server keeps no answers.")),
    isForServer: true,
  },
  page: { path: "/answers", View: lazy(() => orMissing(import("./page"))) },
} satisfies FeatureStart;
