/** What can go wrong with a call to the server, as the page tells it to a person. */
import { t } from "../i18n";

export interface FieldError {
  field: string;
  message: string;
}

export type ProblemKind =
  /** Nothing came back: no network, or the server is away. */
  | "network"
  /** The proxy's session has ended: 401, a redirect, or a sign-in page where JSON was due. */
  | "signed_out"
  /** Somebody else is signed in now than the page is for. */
  | "another_user"
  /** An administrator wants nothing to be done in the reader's name. */
  | "blocked"
  /** The server is stopping or not yet ready (502, 503, 504). A server that is merely full is not:
   * it has refused. */
  | "restarting"
  /** A part of this very page is missing: it has to be loaded anew. */
  | "stale"
  /** The server said no, and said why. */
  | "refused";

export class Problem extends Error {
  override readonly name = "Problem";
  constructor(
    readonly kind: ProblemKind,
    message: string,
    readonly status = 0,
    readonly fields: FieldError[] = [],
    /** The run that is in the way (409). */
    readonly runId: string | null = null,
    readonly retryAfterMs: number | null = null,
    /** Why nothing can be read of a file, in a word. */
    readonly unreadable: string | null = null,
    /** The last part of its type, where the server has said it. */
    readonly type = "",
  ) {
    super(message);
  }
}

export function networkProblem(): Problem {
  return new Problem(
    "network",
    t("The server could not be reached. Check the connection and try again."),
  );
}

/** A part of the page that was to be fetched is not there: after an update of the server the old ones are gone. */
export function missingPartProblem(): Problem {
  return new Problem(
    "stale",
    t("A part of this page could not be loaded; there may be a newer version of it."),
  );
}

export function signedOutProblem(): Problem {
  return new Problem("signed_out", t("You are signed out. Reload the page to sign in again."), 401);
}

/** Any thrown value as a Problem; a fetch that failed throws a TypeError. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof TypeError) return networkProblem();
  return error instanceof SyntaxError
    ? new Problem("refused", t("The server’s answer could not be read. Try again in a moment."))
    : new Problem("refused", t("Something went wrong in this page. Try again, or reload it."));
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function fieldErrors(body: Record<string, unknown>): FieldError[] {
  if (Array.isArray(body.errors)) {
    return body.errors.filter(isRecord).map((entry) => ({
      field: String(entry.field ?? ""),
      message: String(entry.message ?? ""),
    }));
  }
  if (Array.isArray(body.detail)) {
    return body.detail.filter(isRecord).map((entry) => ({
      field: Array.isArray(entry.loc)
        ? entry.loc.filter((part) => part !== "body").join(".")
        : String(entry.loc ?? ""),
      message: String(entry.msg ?? ""),
    }));
  }
  return [];
}

/** What more than one place acts on, by the last part of its type. */
const kinds: Record<string, ProblemKind> = { "another-user": "another_user", blocked: "blocked" };

/** Types from a server that is there, although their status is that of one that is not. */
const fromHere = ["full", "no-draft", "files-away", "files-off"];

const typePrefix = "urn:llm-council:problem:";

/** The last part of its type. */
export function typeOf(body: Record<string, unknown>): string {
  const { type } = body;
  return typeof type === "string" && type.startsWith(typePrefix)
    ? type.slice(typePrefix.length)
    : "";
}

/** The words for refusals are fetched with the first one; where that fails, what the server says in English has to do. */
async function inReadersWords(body: Record<string, unknown>): Promise<string | null> {
  if (typeOf(body) === "") return null;
  try {
    return (await import("./refusals")).inReadersWords(body);
  } catch {
    return null;
  }
}

async function sentence(
  status: number,
  body: Record<string, unknown>,
  fields: FieldError[],
): Promise<string> {
  const known = await inReadersWords(body);
  if (known !== null) return known;
  if (typeof body.detail === "string" && body.detail !== "") return body.detail;
  if (fields.length > 0) return fields.map((f) => `${f.field}: ${f.message}`).join("; ");
  if (typeof body.title === "string" && body.title !== "") return body.title;
  return status >= 500
    ? t("The server had a fault ({{status}}). Try again in a moment.", { status })
    : t("The server refused this ({{status}}) and did not say why.", { status });
}

function retryAfterMs(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}

/** True when a proxy answered in the server's place with its sign-in page. */
export function looksSignedOut(response: Response): boolean {
  const { status } = response;
  if (status === 401 || response.type === "opaqueredirect") return true;
  if (status >= 300 && status < 400) return true;
  const type = response.headers.get("content-type") ?? "";
  // A proxy's own pages are HTML as well: that the server is away, or that something is too large or too much (413, 429).
  return type.startsWith("text/html") && status < 500 && status !== 413 && status !== 429;
}

/** The problem a response stands for; null when it is a good answer. */
export async function problemOf(response: Response): Promise<Problem | null> {
  if (looksSignedOut(response)) return signedOutProblem();
  if (response.ok) return null;
  let body: unknown = null;
  try {
    body = await response.json();
  } catch {
    // Not JSON: the status alone has to do.
  }
  const record = isRecord(body) ? body : {};
  const fields = fieldErrors(record);
  const type = typeOf(record);
  const restarting = [502, 503, 504].includes(response.status) && !fromHere.includes(type);
  const message =
    restarting && typeof record.detail !== "string"
      ? t("The server is restarting.")
      : await sentence(response.status, record, fields);
  return new Problem(
    restarting ? "restarting" : (kinds[type] ?? "refused"),
    message,
    response.status,
    fields,
    typeof record.run_id === "string" ? record.run_id : null,
    retryAfterMs(response),
    typeof record.problem_kind === "string" ? record.problem_kind : null,
    type,
  );
}
