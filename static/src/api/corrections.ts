/** Adding to a question, for the part of the page that is fetched when it is needed. */
import { json, send } from "./client";

export const correct = (runId: string, content: string) =>
  json<unknown>(`/api/runs/${encodeURIComponent(runId)}/corrections`, send("POST", { content }));
