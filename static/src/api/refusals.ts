/** The server's refusals in the reader's language. */
import { msg, t } from "../i18n";
import { budgetRefusal } from "./budget-words";
import { isRecord, typeOf } from "./problem";
import type { BudgetState } from "./types";

/** By the last part of their type. */
const byType: Record<string, string> = {
  "not-found": msg("This does not exist, or no longer does."),
  blocked: msg("An administrator of this server has blocked you."),
  "another-user": msg("Somebody else is signed in now. Reload the page."),
  "slow-body": msg("The request took too long to arrive. Send it again."),
  "too-large": msg("This is longer than the server takes. Shorten it."),
  "run-under-way": msg("A run is under way here. Wait for its end, or stop it."),
  "check-under-way": msg("Another check is under way. Try again when it has ended."),
  "not-retried": msg("It cannot be asked again now. When the run is over, it can."),
  "nothing-to-share": msg("Nothing was asked here yet, so there is nothing to share."),
  "being-written": msg("An answer is being written. Share it when it is ready."),
  "too-many-links": msg(
    "You have as many links as are allowed. Stop sharing one that nobody needs.",
  ),
  "not-a-writer": msg(
    "This conversation is in a project in which you may not write. Take it out of the project to go on with it.",
  ),
  "last-owner": msg("Nobody else owns this project by name. Make somebody else an owner first."),
  "by-group": msg(
    "You are in this project through a group: whoever leaves the group leaves the project.",
  ),
  "too-many-members": msg(
    "This project has as many members as are allowed. Add a group in the place of many people.",
  ),
  "too-many-projects": msg(
    "You own as many projects as are allowed. Delete one, or hand one over.",
  ),
  "too-many-folders": msg(
    "You have as many folders as are allowed. Delete one that you no longer need.",
  ),
  "answer-under-way": msg("An answer is being written. Copy it when it is ready."),
  "nothing-to-copy": msg("Nothing was asked here yet, so there is nothing to copy."),
  "not-again": msg(
    "This cannot be asked again as it stands now. Reload the page to see what can, or ask the question anew.",
  ),
  "not-awaited": msg("It is no longer waited for: it has answered, or the run is over."),
  "not-to-purge": msg(
    "Only a deleted conversation in which nothing is being answered can be deleted for good.",
  ),
  held: msg(
    "There is a hold on your data: until it is lifted, nothing of it is deleted for good. Ask your administrator.",
  ),
  "erasure-under-way": msg(
    "Everything of yours is being deleted, as you asked. When that is done, you can start again.",
  ),
  "changed-meanwhile": msg(
    "This was changed meanwhile. Look at what it says now before you change it.",
  ),
  "library-full": msg(
    "You have as many prompts and rubrics as are allowed. Delete one that nobody needs.",
  ),
  internal: msg(
    "The server had a fault, which it has recorded. Try again; if it happens again, tell whoever runs this server.",
  ),
  "files-away": msg(
    "The store that files are kept in cannot be used right now. Try again in a moment.",
  ),
  "files-off": msg(
    "This file is kept in a store that this server is not set up for. Tell whoever runs this server.",
  ),
  "file-lost": msg(
    "This file is missing from the store that it is kept in, or was changed there. Tell whoever runs this server.",
  ),
  unavailable: msg("The server is not available right now. Try again in a moment."),
  full: msg("Too many questions are waiting at this server. Try again in a moment."),
  "too-many-runs": msg(
    "Too many questions of yours are waiting. Wait until some are answered, or stop them.",
  ),
};

const numberOrNull = (value: unknown) => (typeof value === "number" ? value : null);

/** A refusal of the server's in the reader's language; null where there is only what the server says in English. */
export function inReadersWords(body: Record<string, unknown>): string | null {
  const type = typeOf(body);
  const known = Object.hasOwn(byType, type) ? byType[type] : undefined;
  if (known !== undefined) return t(known);
  if (type === "budget-reached" && isRecord(body.budget)) {
    return budgetRefusal(body.budget as unknown as BudgetState, numberOrNull(body.needed_usd));
  }
  if (type === "no-draft" && typeof body.model === "string") {
    return t("{{model}} drafted nothing. Try again, or write it yourself.", { model: body.model });
  }
  if (type === "identity-header" && typeof body.detail === "string") {
    return t(
      "The sign-in proxy says something about you that this server cannot use. Tell whoever runs this server: {{detail}}.",
      { detail: body.detail },
    );
  }
  return null;
}
