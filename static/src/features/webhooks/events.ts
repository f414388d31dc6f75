import { msg, t } from "../../i18n";

/** The events that a webhook may be told, each as it is chosen. */
export const choices = [
  ["run.completed", msg("A run has its answer")],
  ["run.failed", msg("A run has failed")],
  ["run.cancelled", msg("A run was stopped")],
] as const;

const names: Readonly<Record<string, string>> = {
  "run.completed": msg("Answered"),
  "run.failed": msg("Failed run"),
  "run.cancelled": msg("Stopped run"),
  "webhook.test": msg("Test"),
};

/** In a word; one of a newer server as it is called there. */
export const nameOf = (event: string) => {
  const name = Object.hasOwn(names, event) ? names[event] : undefined;
  return name === undefined ? event : t(name);
};
