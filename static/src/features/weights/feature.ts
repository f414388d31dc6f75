/** Weighted votes: those of models that did well before count more. */
import type { Feature } from "../feature";
import { WeightsNote } from "./note";
import { start } from "./start";
import { events } from "./state";

export const feature = {
  ...start,
  events,
  notes: { ranking: WeightsNote },
} satisfies Feature;
