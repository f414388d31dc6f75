import type { ChairmenState } from "../../run/chairmen";
import { plural, shortName } from "../../ui/format";

/** Several chairmen in a line. */
export function chairmenSummary(chairmen: ChairmenState): string {
  const { models, drafts, selected, selector } = chairmen;
  const all = Math.max(models.length, drafts.length);
  const chosen = drafts.find((draft) => draft.label === selected);
  if (chosen) return `${chosen.label} by ${shortName(chosen.model)}, of ${plural(all, "draft")}`;
  if (selector) return `${shortName(selector)} chooses among ${plural(all, "draft")}`;
  if (drafts.length < all) return `${drafts.length} of ${plural(all, "draft")} in`;
  return plural(all, "draft");
}
