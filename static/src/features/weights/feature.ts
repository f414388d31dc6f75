/** Weighted votes: those of models that did well before count more. */
import { msg, t } from "../../i18n";
import type { Feature } from "../feature";
import { WeightsNote } from "./note";
import { events } from "./state";

export const weights = {
  name: "weights",
  title: msg("Weighted votes"),
  events,
  option: {
    field: "use_weighted_consensus",
    group: "reviews",
    byDefault: true,
    chip: () => t("Unweighted votes"),
  },
  notes: { ranking: WeightsNote },
} satisfies Feature;
