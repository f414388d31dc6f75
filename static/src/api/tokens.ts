/** Personal access tokens, for the part of the page that is fetched when it is needed. */
import { useQuery } from "@tanstack/react-query";
import { everything, json, page, request, send } from "./client";
import { queryClient } from "./queries";
import type { NewToken, Token } from "./types";

const key = ["tokens"] as const;
const base = "/api/tokens";

/** What a token may do. */
export type Permission = "read" | "ask";

/** All of them: those that were revoked stand among the others. */
export const useTokens = () =>
  useQuery({
    queryKey: key,
    queryFn: () =>
      everything(async (query, offset) => page<Token>(await request(`${base}?${query}`), offset)),
  });

export const createToken = (
  name: string,
  expires_in_days: number,
  permissions: readonly Permission[],
) => json<NewToken>(base, send("POST", { name, expires_in_days, permissions }));

export const revokeToken = (id: string) =>
  json<unknown>(`${base}/${encodeURIComponent(id)}`, { method: "DELETE" });

export const refreshTokens = () => queryClient.invalidateQueries({ queryKey: key });
