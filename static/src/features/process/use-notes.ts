/** The process log of a run that this page did not follow: read out of the run's events. */
import { useQuery } from "@tanstack/react-query";
import { request } from "../../api/client";
import { keys } from "../../api/queries";
import { noteFrom, type ProcessNote, type RunState } from "../../run/state";
import { createDecoder } from "../../stream/decode";

export async function readLog(runId: string, signal: AbortSignal): Promise<ProcessNote[]> {
  const response = await request(`/api/runs/${encodeURIComponent(runId)}/events`, { signal });
  const notes: ProcessNote[] = [];
  const decoder = createDecoder(
    ({ event }) => {
      if (event.type === "process") notes.push(noteFrom(event));
    },
    () => undefined,
  );
  decoder.push(new Uint8Array(await response.arrayBuffer()));
  return notes;
}

/** What is followed live is at hand; the rest is read once, when the log is opened. */
export function useNotes(run: RunState) {
  const isStored = run.notes.length === 0 && run.phase === "ended" && run.runId !== null;
  const stored = useQuery({
    queryKey: keys.log(run.runId ?? ""),
    queryFn: ({ signal }) => readLog(run.runId ?? "", signal),
    enabled: isStored,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return {
    notes: isStored ? (stored.data ?? []) : run.notes,
    isLoading: isStored && stored.isPending,
    error: isStored ? stored.error : null,
  };
}
