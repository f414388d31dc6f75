/** One's own data as a whole; what administrators may do about other people's stands apart. */
import { useQuery } from "@tanstack/react-query";
import { keeper } from "../ui/kept";
import { unsubscribe } from "../ui/subscription";
import { json, send } from "./client";
import { identity } from "./identity";
import { queryClient } from "./queries";
import type { Schemas } from "./types";

export type Access = Schemas["AccessView"];

export const exportHref = "/api/me/export";

export const ownDataQuery = {
  queryKey: ["own-data"],
  queryFn: () => json<Schemas["OwnData"]>("/api/me/data"),
};

export const useOwnData = () => useQuery(ownDataQuery);

/** Whether it is over, goes on at the server, or was done in another tab. */
export type Erasure = "over" | "goes on" | "elsewhere";

/**
 * Makes this tab nobody's: it asks the server nothing more, since a request from here would make
 * its user a new one.
 */
export function leaveTab() {
  identity.leave();
  keeper.leave();
  queryClient.clear();
}

/** Deletes everything. `show` is called before what is shown of it goes. */
export async function eraseMe(confirm: string, show: (erasure: Erasure) => void) {
  const answer = await json<Schemas["Erased"]>("/api/me", send("DELETE", { confirm }));
  keeper.forget();
  show(answer.erased ? "over" : "goes on");
  leaveTab();
  // The server has forgotten this browser already.
  await unsubscribe();
}
