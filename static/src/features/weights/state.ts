/** Weighted votes: what each reviewer's ballot weighed, and why. */
import type { Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { sliceOf } from "../../run/slice";

export type WeightsInfo = Schemas["WeightsInfo"];

const slice = sliceOf<WeightsInfo | null>("weights", null);
export const weightsOf = slice.of;

export const events = {
  // The first reviews do not count any longer when others begin.
  stage2_start: (run) => slice.with(run, null),
  stage2_complete: (run, event) => {
    const info = event.metadata?.weights_info;
    return info ? slice.with(run, info) : run;
  },
} satisfies Partial<Handlers>;
