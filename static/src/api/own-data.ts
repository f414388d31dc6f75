/** One's own data as a whole. Every page has this; what administrators may do about other people's stands apart. */
import { useQuery } from "@tanstack/react-query";
import { keeper } from "../ui/kept";
import { unsubscribe } from "../ui/subscription";
import { json, send } from "./client";
import { identity } from "./identity";
import { queryClient } from "./queries";
import type { Schemas } from "./types";

export type Access = Schemas["AccessView"];

export const exportHref = "/api/me/export";

export const useOwnData = () =>
  useQuery({ queryKey: ["own-data"], queryFn: () => json<Schemas["OwnData"]>("/api/me/data") });

export type Erasure = "over" | "goes on";
let erasure: Erasure | null = null;
const listeners = new Set<() => void>();

/** Whether everything of this page's reader was deleted here; for useSyncExternalStore. */
export const erased = {
  now: () => erasure,
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
};

/** Deletes everything. The page then asks the server nothing more: whoever asks is new there. */
export async function eraseMe(confirm: string) {
  const answer = await json<Schemas["Erased"]>("/api/me", send("DELETE", { confirm }));
  erasure = answer.erased ? "over" : "goes on";
  identity.leave();
  keeper.forget();
  for (const listener of listeners) listener();
  queryClient.clear();
  // The server has forgotten this browser already.
  await unsubscribe();
}
