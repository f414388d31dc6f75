/** Every call to the server goes through here, so that "signed out" is noticed once for all. */
import { availability } from "./availability";
import { clock } from "./clock";
import { identity } from "./identity";
import { asProblem, type Problem, problemOf } from "./problem";
import type {
  AdminBudgets,
  Again,
  Ask,
  BudgetChange,
  BudgetState,
  Caps,
  Config,
  ConfigChange,
  Conversation,
  ConversationSummary,
  Estimate,
  Feedback,
  ModelList,
  Preset,
  RunResult,
  Tags,
  User,
  VersionInfo,
} from "./types";

const userPath = "/api/user";

type Listener = () => void;
export type SessionState = "open" | "signed_out" | "blocked";
let state: SessionState = "open";
const listeners = new Set<Listener>();

/** Whether the last answer said that the session has ended, or is of no use; for useSyncExternalStore. */
export const session = {
  state: () => state,
  subscribe(listener: Listener) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
  note(problem: Problem | null) {
    const { kind = "open" } = problem ?? {};
    const next = kind === "signed_out" || kind === "blocked" ? kind : "open";
    if (state === next) return;
    state = next;
    for (const listener of listeners) listener();
  },
};

/** fetch that follows no redirect (a proxy's sign-in page is on another site) and throws Problems. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  // A change is made in a user's name: sent before the server has said who is signed in, it might
  // be made in the next user's.
  const changes = init.method !== undefined && init.method !== "GET";
  if (changes && identity.user() === null) await identity.check(api.user);
  const user = path === userPath ? null : identity.user();
  const headers = new Headers(init.headers);
  if (user !== null) headers.set("x-expected-user", encodeURIComponent(user));
  const askedAt = Date.now();
  let response: Response;
  try {
    response = await fetch(path, {
      credentials: "same-origin",
      redirect: "manual",
      ...init,
      headers,
    });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const problem = asProblem(error);
    if (problem.kind === "network" && navigator.onLine) availability.note("unreachable");
    throw problem;
  }
  clock.note(response, askedAt);
  const problem: Problem | null = await problemOf(response);
  session.note(problem);
  if (problem?.kind === "restarting") availability.note("restarting");
  // Asking who that is loads the page anew for them.
  if (problem?.kind === "another_user") await identity.check(api.user);
  if (problem) throw problem;
  return response;
}

export async function json<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await request(path, {
    ...init,
    headers: { accept: "application/json", ...init?.headers },
  });
  return (await response.json()) as T;
}

export const send = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** A request that gets through even if its page is left at once, as users do once the page has shown it as done. */
export const last = (init: RequestInit): RequestInit => ({ ...init, keepalive: true });

/** A page of a plain list, whose length over all pages stands in a header. */
export async function page<T>(response: Response, offset: number): Promise<Page<T>> {
  const items = (await response.json()) as T[];
  const total = Number(response.headers.get("x-total-count") ?? Number.NaN);
  return { items, total: Number.isFinite(total) ? total : offset + items.length };
}

const one = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;

export interface Page<T> {
  items: T[];
  total: number;
}

/** All of a list that the server gives in pages, each asked for by a query. */
export async function everything<T>(
  read: (query: string, offset: number) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    // It gives fewer at once where its limit is lower.
    const { items, total } = await read(`limit=1000&offset=${all.length}`, all.length);
    all.push(...items);
    const isMore = items.length > 0 && all.length < total;
    if (!isMore) return all;
  }
}

/** Which conversations are listed. */
interface Wanted {
  tag?: string | null;
  archived?: boolean;
  pinned?: boolean;
  /** Only conversations in the folder with this id, or with `none` in no folder. */
  folder?: string | null;
}

export const api = {
  async user() {
    const user = await json<User>(userPath);
    await identity.note(user.id);
    return user;
  },
  version: () => json<VersionInfo>("/api/version"),
  config: () => json<Config>("/api/config"),
  saveConfig: (change: ConfigChange) => json<Config>("/api/config", send("PUT", change)),
  resetConfig: () => json<Config>("/api/config/reset", send("POST", {})),
  presets: async () => (await json<{ presets: Preset[] }>("/api/settings/presets")).presets,
  savePreset: (name: string, shared: boolean) =>
    json<{ preset: Preset; updated: boolean }>(
      "/api/settings/presets",
      send("POST", { name, shared }),
    ),
  applyPreset: (id: string) =>
    json<Config>(`/api/settings/presets/${encodeURIComponent(id)}/apply`, send("POST", {})),
  removePreset: (id: string) =>
    json<unknown>(`/api/settings/presets/${encodeURIComponent(id)}`, { method: "DELETE" }),
  models: () => json<ModelList>("/api/models"),

  /** Conversations, those asked in last first. */
  async conversations(
    offset: number,
    limit: number,
    { tag = null, archived, pinned, folder = null }: Wanted,
  ): Promise<Page<ConversationSummary>> {
    const query = new URLSearchParams({
      limit: String(limit),
      offset: String(offset),
      order: "asked",
    });
    if (tag !== null) query.set("tag", tag);
    if (archived) query.set("archived", "true");
    if (pinned) query.set("pinned", "true");
    if (folder !== null) query.set("folder_id", folder);
    return page(await request(`/api/conversations?${query}`), offset);
  },
  /**
   * On the branch through this message, or the one that was looked at last. Where it is said how many of the last answers are
   * wanted whole, the others have no more than their text (`brief`).
   */
  conversation(id: string, branch?: string, whole?: number) {
    const query = new URLSearchParams();
    if (branch) query.set("branch", branch);
    if (whole !== undefined) query.set("whole", String(whole));
    const asked = query.toString();
    return json<Conversation>(one(id) + (asked && `?${asked}`));
  },
  rename: (id: string, title: string) => json<unknown>(one(id), last(send("PATCH", { title }))),
  /** `pinned` where it is to be pinned in the same step; otherwise the server decides what becomes of a pin. */
  archive: (id: string, archived: boolean, pinned: boolean) =>
    json<unknown>(one(id), last(send("PATCH", { archived, pinned: pinned || undefined }))),
  pin: (id: string, pinned: boolean) => json<unknown>(one(id), last(send("PATCH", { pinned }))),
  /** Remembers the branch through a message, and answers with the conversation on it. */
  chooseBranch: (id: string, message_id: string) =>
    json<Conversation>(`${one(id)}/branch`, send("PUT", { message_id })),
  /** As many as the server gives at once. */
  tags: () => json<Tags>("/api/tags"),
  setTags: (id: string, tags: string[]) =>
    json<unknown>(`${one(id)}/tags`, last(send("PUT", { tags }))),
  async deleted(offset: number, limit: number): Promise<Page<ConversationSummary>> {
    const query = new URLSearchParams({
      deleted: "true",
      limit: String(limit),
      offset: String(offset),
    });
    return page(await request(`/api/conversations?${query}`), offset);
  },
  remove: (id: string) => json<unknown>(one(id), last({ method: "DELETE" })),
  purge: (id: string) => json<unknown>(`${one(id)}?purge=true`, { method: "DELETE" }),
  restore: (id: string) => json<unknown>(`${one(id)}/restore`, last(send("POST", {}))),
  exportHref: (id: string, format: "md" | "json", all = false) =>
    `${one(id)}/export?format=${format}${all ? "&all=true" : ""}`,

  feedback: (runId: string) => json<Feedback>(`/api/runs/${encodeURIComponent(runId)}/feedback`),
  giveFeedback: (runId: string, said: Pick<Feedback, "thumb" | "better" | "comment">) =>
    json<Feedback>(`/api/runs/${encodeURIComponent(runId)}/feedback`, last(send("PUT", said))),
  withdrawFeedback: (runId: string) =>
    json<unknown>(`/api/runs/${encodeURIComponent(runId)}/feedback`, last({ method: "DELETE" })),

  /** What a question will probably cost; without an id, the first one of a new conversation. */
  estimate: (id: string | null, body: Ask, signal: AbortSignal) =>
    json<Estimate>(id === null ? "/api/estimate" : `${one(id)}/message/estimate`, {
      ...send("POST", body),
      signal,
    }),
  budgets: async () => (await json<{ budgets: BudgetState[] }>("/api/budget")).budgets,
  saveCaps: async (caps: Partial<Caps>) =>
    (await json<{ budgets: BudgetState[] }>("/api/budget", send("PUT", caps))).budgets,
  adminBudgets: (offset: number, limit: number) =>
    json<AdminBudgets>(`/api/admin/budgets?limit=${limit}&offset=${offset}`),
  changeBudgets: (budgets: BudgetChange[]) =>
    json<AdminBudgets>("/api/admin/budgets", send("PUT", { budgets })),

  run: (runId: string) => json<RunResult>(`/api/runs/${encodeURIComponent(runId)}`),
  async askAgain(runId: string, again: Again, idempotencyKey: string): Promise<string> {
    const init = send("POST", again);
    const asked = await json<{ run_id: string }>(`/api/runs/${encodeURIComponent(runId)}/retry`, {
      ...init,
      headers: { ...init.headers, "idempotency-key": idempotencyKey },
    });
    return asked.run_id;
  },

  skip: (runId: string, member: string, stage?: string) =>
    json<unknown>(`/api/runs/${encodeURIComponent(runId)}/skip`, send("POST", { member, stage })),
  cancelRun: (runId: string) =>
    json<unknown>(`/api/runs/${encodeURIComponent(runId)}/cancel`, last(send("POST", {}))),
  cancelConversation: (id: string) =>
    json<unknown>(`${one(id)}/message/cancel`, last(send("POST", {}))),
};
