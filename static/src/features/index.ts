/** The options and formats with all that they have in a run. */
import type { Feature } from "./feature";
import { starts } from "./list";

/** Found by their names: see `feature.ts`. Some have nothing beyond what is known before a run. */
const found = import.meta.glob<Feature>("./*/feature.{ts,tsx}", { eager: true, import: "feature" });

export const features: readonly Feature[] = starts.map(
  (start) => found[`./${start.name}/feature.ts`] ?? found[`./${start.name}/feature.tsx`] ?? start,
);
