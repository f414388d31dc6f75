import type { RunState } from "./state";

/** A feature's own part of a run's state: only who has the slice knows what is in it. */
export interface Slice<T> {
  of(run: RunState): T;
  with(run: RunState, value: T): RunState;
}

/** `name` is the feature's; `initial` holds until something else is put there. */
export const sliceOf = <T>(name: string, initial: T): Slice<T> => ({
  // Nothing else writes under this name.
  of: (run) => (Object.hasOwn(run.slices, name) ? (run.slices[name] as T) : initial),
  with: (run, value) => ({ ...run, slices: { ...run.slices, [name]: value } }),
});
