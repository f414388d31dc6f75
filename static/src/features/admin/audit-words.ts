/** The audit log's entries in words. */
import type { AuditEntry } from "../../api/types";
import { msg, t } from "../../i18n";
import { numberText } from "../../ui/numbers";
import { formatName } from "../dashboard/format-names";

const actions: Record<string, string> = {
  "access.approve": msg("approved access to somebody’s conversations"),
  "access.read": msg("read somebody’s conversations"),
  "access.request": msg("asked for access to somebody’s conversations"),
  "access.revoke": msg("ended the access to somebody’s conversations"),
  "analytics.clear": msg("cleared their analytics"),
  "analytics.read": msg("looked at everybody’s analytics"),
  "attachment.delete": msg("deleted a file"),
  "budget.cap": msg("set a cap of their own"),
  "budget.change": msg("changed a budget"),
  "budget.read": msg("looked at the budgets"),
  "cache.clear": msg("removed all their kept answers"),
  "cache.clear_stats": msg("reset their figures on kept answers"),
  "cache.delete": msg("removed a kept answer"),
  "conversation.delete": msg("deleted a conversation"),
  "conversation.export": msg("exported a conversation"),
  "conversation.purge": msg("deleted a conversation for good"),
  "device.add": msg("switched notifications on in a browser"),
  "device.remove": msg("switched notifications off for a browser"),
  "feedback.withdraw": msg("took back their rating of an answer"),
  "folder.delete": msg("deleted a folder"),
  "hold.lift": msg("lifted a hold"),
  "hold.place": msg("placed a hold"),
  "instance_settings.change": msg("changed the instance’s settings"),
  "instance_settings.reset": msg("reset the instance’s settings"),
  "library.change": msg("changed a prompt or a rubric"),
  "library.create": msg("put a prompt or a rubric into the library"),
  "library.delete": msg("deleted a prompt or a rubric"),
  "preset.apply": msg("applied a preset"),
  "preset.delete": msg("deleted a preset"),
  "preset.save": msg("saved a preset"),
  "providers.check": msg("checked the providers"),
  "retention.change": msg("changed how long conversations are kept"),
  "retention.change_in_project": msg("changed how long conversations in a project are kept"),
  "schedule.change": msg("changed a scheduled question"),
  "schedule.create": msg("scheduled a question"),
  "schedule.remove": msg("deleted a scheduled question"),
  "settings.change": msg("changed their settings"),
  "settings.reset": msg("reset their settings"),
  "project.create": msg("created a project"),
  "project.change": msg("changed a project"),
  "project.delete": msg("deleted a project"),
  "project.member": msg("gave somebody a role in a project"),
  "project.member_end": msg("took somebody out of a project"),
  "project.add_file": msg("put a file into a project"),
  "project.remove_file": msg("took a file out of a project"),
  "project.leave": msg("left a project"),
  "project.put_in": msg("put a conversation into a project"),
  "project.take_out": msg("took a conversation out of a project"),
  "share.create": msg("shared a conversation"),
  "share.remove": msg("stopped sharing a conversation"),
  "token.create": msg("created an API token"),
  "token.revoke": msg("revoked an API token"),
  "run.stop": msg("stopped somebody’s run"),
  "user.block": msg("blocked a user"),
  "user.unblock": msg("unblocked a user"),
  "user.erase": msg("deleted everything of their own"),
  "user.export": msg("downloaded everything of their own"),
  "usage.read": msg("looked at the usage"),
  "webhook.change": msg("changed a webhook"),
  "webhook.create": msg("created a webhook"),
  "webhook.remove": msg("removed a webhook"),
  "webhook.secret": msg("gave a webhook another secret"),
};

/** What was done; one that is not known here is read as it is written. */
export function actionOf(action: string): string {
  const known = actions[action];
  return known ? t(known) : action.replace(/[._]/g, " ");
}

/** Every action and its words, as a list to choose from: by those words. `also` is in it, known or not. */
export function actionsByName(also: string): [string, string][] {
  const names = new Set([...Object.keys(actions), ...(also === "" ? [] : [also])]);
  return [...names]
    .map((name): [string, string] => [name, actionOf(name)])
    .sort(([, one], [, other]) => one.localeCompare(other));
}

/** What the details are called. */
const names: Record<string, string> = {
  before_usd: msg("before, in US dollars"),
  by: msg("grouped by"),
  conversation: msg("conversation"),
  days: msg("days"),
  entries: msg("kept answers"),
  file: msg("file"),
  format: msg("format"),
  from: msg("from"),
  instance: msg("for the instance"),
  kind: msg("kind"),
  limit_usd: msg("limit in US dollars"),
  max_cost_usd: msg("at most, in US dollars"),
  member: msg("member"),
  models: msg("models"),
  part: msg("part"),
  per_day_usd: msg("for a day, in US dollars"),
  per_month_usd: msg("for a month, in US dollars"),
  per_run_usd: msg("for one question, in US dollars"),
  project: msg("project"),
  request: msg("request"),
  role: msg("role"),
  shared: msg("shared"),
  stopped_runs: msg("stopped runs"),
  stream: msg("streamed only"),
  to: msg("to"),
  until: msg("until"),
  version: msg("version"),
};

/** Values that are words of the server's: texts of the catalogue, by the detail. */
const values: Record<string, Readonly<Record<string, string>>> = {
  by: { user: msg("user"), model: msg("model"), day: msg("day"), format: msg("format") },
  kind: { prompt: msg("prompt"), rubric: msg("rubric") },
  role: { viewer: msg("viewer"), writer: msg("writer"), owner: msg("owner") },
};

const own = (table: Readonly<Record<string, string>> | undefined, name: string) =>
  table && Object.hasOwn(table, name) ? table[name] : undefined;

function textOf(name: string, value: unknown): string {
  if (value === null) return t("none");
  if (typeof value === "boolean") return value ? t("yes") : t("no");
  if (typeof value === "number") return numberText(value);
  if (Array.isArray(value)) {
    return value.length === 0 ? t("none") : value.map((one) => textOf(name, one)).join(", ");
  }
  if (typeof value !== "string") return JSON.stringify(value);
  if (name === "format") return formatName(value);
  const known = own(values[name], value);
  return known === undefined ? value : t(known);
}

/** Further details. "None" is a value, too: a limit of none is one that was removed. */
export const detailsOf = (details: AuditEntry["details"]) =>
  Object.entries(details as Record<string, unknown>)
    // The server keeps no order.
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => {
      const known = own(names, name);
      return `${known === undefined ? name.replaceAll("_", " ") : t(known)}: ${textOf(name, value)}`;
    })
    .join(", ");
