/** An earlier answer to the same question: looked for, offered, and taken or not. */
import type { AssistantMessage, Metadata, Schemas } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

/** The fields of an event, or of what is stored of it: whatever of them is there. */
type CacheEvent = Schemas["CacheEvent"];
type Told<Type extends CacheEvent["type"]> = {
  [Field in keyof Omit<Extract<CacheEvent, { type: Type }>, "type">]?:
    | Extract<CacheEvent, { type: Type }>[Field]
    | null;
};

/** What the server tells of the earlier answer; it is read where it is shown (`words.ts`). */
export type ToldOfHit = Omit<Told<"cache_hit">, "cached_response"> & Told<"cache_offer">;
/** What it tells where there is none. */
export type ToldOfMiss = Told<"cache_miss">;

export type CacheState =
  | { status: "looking" }
  /** The run waits for a decision, or until `expires_at`. */
  | { status: "offered" | "hit"; told: ToldOfHit }
  /** Whether this run's own answer is there for later questions, or why not; null as long as nobody has said. */
  | { status: "miss"; told: ToldOfMiss; kept: "kept" | Schemas["NotStored"] | null };

const slice = sliceOf<CacheState | null>("cache", null);
/** Null where nobody asked for it. */
export const cacheOf = slice.of;

function withKept(run: RunState, kept: "kept" | Schemas["NotStored"]): RunState {
  const state = slice.of(run);
  return state?.status === "miss" ? slice.with(run, { ...state, kept }) : run;
}

export const events = {
  cache_check_start: (run) =>
    slice.with({ ...run, status: "running", phase: "cache" }, { status: "looking" }),
  cache_offer: (run, { type, ...told }) => slice.with(run, { status: "offered", told }),
  // The answer itself comes once more, in the events of its run.
  cache_hit: (run, { type, cached_response, ...told }) => slice.with(run, { status: "hit", told }),
  cache_miss: (run, { type, ...told }) => slice.with(run, { status: "miss", told, kept: null }),
  cache_stored: (run) => withKept(run, "kept"),
  cache_not_stored: (run, { reason }) => withKept(run, reason ?? "unavailable"),
} satisfies Partial<Handlers>;

/** A run that was stopped before it was known whether it takes an earlier answer says nothing of one. */
export function settle(run: RunState): RunState {
  const status = slice.of(run)?.status;
  return status === "looking" || status === "offered" ? slice.with(run, null) : run;
}

function stateFrom(cache: Partial<Schemas["CacheInfo"]>): CacheState {
  const { mode, threshold, outcome = "looking", stored, not_stored, cached, ...rest } = cache;
  const told = { ...rest, ...cached };
  switch (outcome) {
    case "looking":
      return { status: outcome };
    case "miss":
      return { status: outcome, told, kept: stored ? "kept" : (not_stored ?? null) };
    default:
      return { status: outcome, told };
  }
}

export function stored(run: RunState, { cache }: Metadata, { status }: AssistantMessage): RunState {
  if (!cache) return run;
  const read = slice.with(run, stateFrom(cache));
  return status === "queued" || status === "running" ? read : settle(read);
}
