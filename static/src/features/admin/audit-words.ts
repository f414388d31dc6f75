/** The audit log's entries in words. */
import type { AuditEntry } from "../../api/types";
import { msg, t } from "../../i18n";

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
  "conversation.delete": msg("deleted a conversation"),
  "conversation.export": msg("exported a conversation"),
  "conversation.purge": msg("deleted a conversation for good"),
  "device.add": msg("switched notifications on in a browser"),
  "device.remove": msg("switched notifications off for a browser"),
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
  "project.create": msg("made a project"),
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
  "token.create": msg("made an API token"),
  "token.revoke": msg("revoked an API token"),
  "run.stop": msg("stopped somebody’s run"),
  "user.block": msg("blocked a user"),
  "user.unblock": msg("unblocked a user"),
  "user.erase": msg("deleted everything of their own"),
  "user.export": msg("downloaded everything of their own"),
  "usage.read": msg("looked at the usage"),
};

/** What was done; one that is not known here is read as it is written. */
export function actionOf(action: string): string {
  const known = actions[action];
  return known ? t(known) : action.replace(/[._]/g, " ");
}

const textOf = (value: unknown) =>
  value === null ? t("none") : typeof value === "string" ? value : JSON.stringify(value);

/** What else was noted. None is told as well: a limit of none is one that was taken away. */
export const detailsOf = (details: AuditEntry["details"]) =>
  Object.entries(details as Record<string, unknown>)
    // The server keeps no order.
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${textOf(value)}`)
    .join(", ");
