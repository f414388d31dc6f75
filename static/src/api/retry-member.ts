/** Asking a member again in its run, for the part of the page that shows one. */
import { json, send } from "./client";

export const retryMember = (runId: string, member: string) =>
  json<unknown>(`/api/runs/${encodeURIComponent(runId)}/retry-member`, send("POST", { member }));
