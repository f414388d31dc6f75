/** Personal access tokens, for the part of the page that is fetched when somebody needs it. */
import { useQuery } from "@tanstack/react-query";
import { json, send } from "./client";
import { queryClient } from "./queries";
import type { NewToken, Token } from "./types";

const key = ["tokens"] as const;
const base = "/api/tokens";

/** What a token may do. */
export type Permission = "read" | "ask";

export const useTokens = () => useQuery({ queryKey: key, queryFn: () => json<Token[]>(base) });

export const createToken = (
  name: string,
  expires_in_days: number,
  permissions: readonly Permission[],
) => json<NewToken>(base, send("POST", { name, expires_in_days, permissions }));

export const revokeToken = (id: string) =>
  json<unknown>(`${base}/${encodeURIComponent(id)}`, { method: "DELETE" });

export const refreshTokens = () => queryClient.invalidateQueries({ queryKey: key });
