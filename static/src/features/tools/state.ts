/** What members look up themselves while they answer. */
import type { Schemas, Searched } from "../../api/types";
import type { Handlers } from "../../run/feature";
import { list, seatOf, thought, withAnswer } from "../../run/parts";
import { sliceOf } from "../../run/slice";
import type { RunState } from "../../run/state";

/** One call of a member, from the moment that it is made. */
export interface ToolUse {
  id: string;
  tool: string;
  query: string;
  status: "running" | "done" | "failed";
  /** Numbers of sources. */
  found: readonly number[];
  ms: number | null;
  /** Why it failed. */
  error?: string | null;
}

type Uses = Readonly<Record<string, readonly ToolUse[]>>;

const slice = sliceOf<Uses>("tools", {});
export const usesOf = slice.of;

/** Where a member speaks: in a round, or in the answers of a council. */
export const placeOf = (member: string, round: number | null) => `${round ?? ""} ${member}`;

interface Named {
  model: string;
  member?: string | null;
}

const memberOf = ({ model, member }: Named) => member ?? model ?? "";

function put(run: RunState, place: string, use: ToolUse): RunState {
  const uses = slice.of(run);
  const before = uses[place] ?? [];
  const at = before.findIndex(({ id }) => id === use.id);
  const next = at < 0 ? [...before, use] : before.with(at, use);
  return slice.with(run, { ...uses, [place]: next });
}

const known = (run: RunState, place: string, id: string) =>
  slice.of(run)[place]?.find((use) => use.id === id);

interface Call extends Named {
  call_id: string;
  tool: string;
  args?: { query?: string | null };
}

const begins = (run: RunState, place: string, event: Call): RunState =>
  known(run, place, event.call_id)
    ? run
    : put(run, place, {
        id: event.call_id,
        tool: event.tool,
        query: event.args?.query ?? "",
        status: "running",
        found: [],
        ms: null,
      });

interface Result extends Named {
  call_id: string;
  tool: string;
  sources?: { n: number }[];
  ms?: number;
  error?: string | null;
}

function ends(run: RunState, place: string, event: Result): RunState {
  const { call_id: id, tool, error } = event;
  const before = known(run, place, id) ?? { id, tool, query: "" };
  return put(run, place, {
    ...before,
    status: error ? "failed" : "done",
    found: list(event.sources).map(({ n }) => n),
    ms: event.ms ?? null,
    error: error ?? null,
  });
}

/** What was written before something was looked up is a thought, and no part of the answer. */
const thinks = (run: RunState, event: Named) =>
  withAnswer(run, seatOf(event), (entry) =>
    entry.result || entry.text === ""
      ? entry
      : { ...entry, text: "", reasoning: thought(entry.reasoning, entry.text) },
  );

/** A call that was lost, or has failed, and is made again: what it had looked up is looked up again. */
function restarts(run: RunState, event: Named & { stage: string }): RunState {
  // A part of a question has its number in the place of a round.
  const round = /^(?:round|sub)(\d+)$/.exec(event.stage)?.[1];
  if (event.stage !== "stage1" && round === undefined) return run;
  const place = placeOf(memberOf(event), round === undefined ? null : Number(round));
  if (!slice.of(run)[place]?.length) return run;
  return slice.with(run, { ...slice.of(run), [place]: [] });
}

export const events = {
  stage1_tool_call: (run, event) =>
    begins(thinks(run, event), placeOf(memberOf(event), null), event),
  stage1_tool_result: (run, event) => ends(run, placeOf(memberOf(event), null), event),
  tool_call: (run, event) => begins(run, placeOf(memberOf(event), event.round ?? null), event),
  tool_result: (run, event) => ends(run, placeOf(memberOf(event), event.round ?? null), event),
  call_restarted: restarts,
  member_retried: restarts,
} satisfies Partial<Handlers>;

/** What is still being looked up when the run is over came to nothing. */
export function settle(run: RunState): RunState {
  const places = Object.entries(slice.of(run));
  if (!places.some(([, uses]) => uses.some(({ status }) => status === "running"))) return run;
  const closed = places.map(([place, uses]) => [
    place,
    uses.map((use) => (use.status === "running" ? { ...use, status: "failed" as const } : use)),
  ]);
  return slice.with(run, Object.fromEntries(closed) as Uses);
}

const fromMade = (made: Schemas["ToolCallMade"], at: number): ToolUse => {
  const { error } = made;
  return {
    id: String(at),
    tool: made.tool,
    query: made.args?.query ?? "",
    status: error ? "failed" : "done",
    found: list(made.result_sources),
    ms: made.ms ?? null,
    error: error ?? null,
  };
};

/** As it is stored with a text. */
export const madeIn = (result: Searched | null): readonly ToolUse[] =>
  list(result?.tool_calls_made).map(fromMade);
