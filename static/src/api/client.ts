/**
 * The calls to the server's API. All of them go through `request`, so that one place notices that
 * the reader is signed out, that somebody else is signed in, or that the server is away.
 */
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

/**
 * Whether the reader's session can be used, as far as the server's last answer shows: `signed_out`
 * when the proxy has ended it, `blocked` when an administrator has blocked the reader. `state` and
 * `subscribe` are what useSyncExternalStore takes.
 */
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

/**
 * Sends a request, and returns the response if it is a success; everything else is thrown as a
 * Problem. A redirect is not followed: it leads to the sign-in page of a proxy, on another site.
 */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  // Each request names the user whom the page is for, and the server refuses it when somebody else
  // is signed in. So a change waits until the page knows its user: without the name it could be
  // made for whoever has signed in since.
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
  // This learns who is signed in now, and reloads the page for them.
  if (problem?.kind === "another_user") await identity.check(api.user);
  if (problem) throw problem;
  return response;
}

/** The JSON of a response. */
export async function json<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await request(path, {
    ...init,
    headers: { accept: "application/json", ...init?.headers },
  });
  return (await response.json()) as T;
}

/** What `request` needs to send this body as JSON. */
export const send = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/**
 * Has the browser complete a request even if the page is closed meanwhile. For changes that the page
 * shows as done before the server has answered: people leave then.
 */
export const last = (init: RequestInit): RequestInit => ({ ...init, keepalive: true });

/**
 * Reads a page of a list that comes as a plain array and begins at `offset`. The length of the whole
 * list is in a header; without it, the list counts as ending with this page.
 */
export async function page<T>(response: Response, offset: number): Promise<Page<T>> {
  const items = (await response.json()) as T[];
  const total = Number(response.headers.get("x-total-count") ?? Number.NaN);
  return { items, total: Number.isFinite(total) ? total : offset + items.length };
}

/** The path of a conversation. */
const one = (id: string) => `/api/conversations/${encodeURIComponent(id)}`;

export interface Page<T> {
  items: T[];
  /** The length of the whole list. */
  total: number;
}

/**
 * Reads a whole list, page by page. `read` fetches the page for a query (`limit=…&offset=…`) that
 * begins at `offset`.
 */
export async function everything<T>(
  read: (query: string, offset: number) => Promise<Page<T>>,
): Promise<T[]> {
  const all: T[] = [];
  for (;;) {
    // A page may be shorter than asked for, where the server's own limit is lower: the next one
    // begins after what has arrived.
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
  /** Only conversations in the folder with this id; `none`: only those that are in no folder. */
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

  /** A page of the reader's conversations; the one with the latest question comes first. */
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
   * A conversation with the messages of one branch: the one through the message `branch`, or without
   * it the one that was looked at last. With `whole`, only that many of the last answers come whole;
   * earlier ones have just the text of their final answer (`brief`).
   */
  conversation(id: string, branch?: string, whole?: number) {
    const query = new URLSearchParams();
    if (branch) query.set("branch", branch);
    if (whole !== undefined) query.set("whole", String(whole));
    const asked = query.toString();
    return json<Conversation>(one(id) + (asked && `?${asked}`));
  },
  rename: (id: string, title: string) => json<unknown>(one(id), last(send("PATCH", { title }))),
  /**
   * Archives a conversation, or takes it back. Archiving removes its pin; `pinned` pins it again in
   * the same step, when one that was pinned is taken back. Otherwise nothing is said about the pin.
   */
  archive: (id: string, archived: boolean, pinned: boolean) =>
    json<unknown>(one(id), last(send("PATCH", { archived, pinned: pinned || undefined }))),
  pin: (id: string, pinned: boolean) => json<unknown>(one(id), last(send("PATCH", { pinned }))),
  /** Makes the branch through a message the one that is read, and returns the conversation on it. */
  chooseBranch: (id: string, message_id: string) =>
    json<Conversation>(`${one(id)}/branch`, send("PUT", { message_id })),
  /** The reader's tags; of more than 1000 the first page. */
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
