import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import type { ChairmenState } from "./state";

/** Several chairmen in a line. */
export function chairmenSummary(chairmen: ChairmenState): string {
  const { models, drafts, selected, selector } = chairmen;
  const all = Math.max(models.length, drafts.length);
  const chosen = drafts.find((draft) => draft.label === selected);
  if (chosen) {
    return t("{{label}} by {{model}}, of {{count, number}} drafts", {
      label: chosen.label,
      model: shortName(chosen.model),
      count: all,
    });
  }
  if (selector) {
    return t("{{model}} chooses among {{count, number}} drafts", {
      model: shortName(selector),
      count: all,
    });
  }
  if (drafts.length < all) {
    return t("{{done}} of {{count, number}} drafts in", { done: drafts.length, count: all });
  }
  return t("{{count, number}} drafts", { count: all });
}
