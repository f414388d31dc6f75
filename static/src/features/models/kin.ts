/** Which members of a council are of one family. */
import type { Model } from "../../api/types";

/** Made up by the server, and all alike: nobody is misled by that. */
const simulated = "simulated";

/** A region may stand where the maker does. */
const isRegion = /^[a-z]{2}(-[a-z]+)+-\d+$/;

/** The family of a model that is on no list, by its id, as the server tells it of one that is. */
function familyIn(id: string): string | null {
  if (!id.includes("/")) return null;
  const before = id.slice(0, id.indexOf("/"));
  const maker = before.slice(before.lastIndexOf(":") + 1).replace(/^~/, "");
  return isRegion.test(maker) ? null : maker;
}

/** The families with more than one seat, each with its members' models in their order. */
export function kinOf(
  seats: readonly string[],
  offered: readonly Model[],
): { family: string; models: readonly string[] }[] {
  const known = new Map(offered.map(({ id, family }) => [id, family]));
  const families = new Map<string, string[]>();
  for (const model of seats) {
    const family = known.get(model) ?? familyIn(model);
    if (!family || family === simulated) continue;
    families.set(family, [...(families.get(family) ?? []), model]);
  }
  return [...families]
    .filter(([, models]) => models.length > 1)
    .map(([family, models]) => ({ family, models }));
}
