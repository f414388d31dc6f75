/** The process log of a run that this page did not follow: read out of the run's events. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
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
  const { notes: followed, phase, runId } = run;
  const client = useQueryClient();
  // Soon the stored run takes the place of the one that was followed: its log is the same, and nothing goes away meanwhile.
  useEffect(() => {
    if (followed.length > 0 && phase === "ended" && runId !== null)
      client.setQueryData(keys.log(runId), followed);
  }, [client, followed, phase, runId]);
  const isStored = followed.length === 0 && phase === "ended" && runId !== null;
  const stored = useQuery({
    queryKey: keys.log(runId ?? ""),
    queryFn: ({ signal }) => readLog(runId ?? "", signal),
    enabled: isStored,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return {
    notes: isStored ? (stored.data ?? []) : followed,
    isLoading: isStored && stored.isPending,
    error: isStored ? stored.error : null,
  };
}
