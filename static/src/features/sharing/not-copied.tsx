/**
 * The files that a copy of another user's conversation lacks: named where its owner goes on asking,
 * as long as the browser's history has them.
 */
import { useHistoryState } from "wouter/use-browser-location";
import type { Message } from "../../api/types";
import { t } from "../../i18n";
import { listText } from "../../ui/format";
import { Icon } from "../../ui/icon";

/** The state with which the page of the copy is opened. */
export const withoutFiles = (files: readonly string[]) => ({ notCopied: files });

const filesIn = (state: unknown): readonly string[] =>
  typeof state === "object" &&
  state !== null &&
  "notCopied" in state &&
  Array.isArray(state.notCopied)
    ? state.notCopied.map(String)
    : [];

/** The names of the files that a copy does without; those of the project stay where the copy does. */
export function filesOf(messages: readonly Message[], staysInProject: boolean): readonly string[] {
  const names = messages.flatMap((message) =>
    message.role === "user"
      ? [
          ...(message.attachments ?? []),
          ...(staysInProject ? [] : (message.project_files ?? [])),
        ].map(({ filename }) => filename)
      : [],
  );
  return [...new Set(names)];
}

export function NotCopied() {
  const files = filesIn(useHistoryState<unknown>());
  if (files.length === 0) return null;
  return (
    <p className="archived-note">
      <Icon name="file" />
      <span>
        {t(
          "The files are not in this copy: {{files}}. Questions here are asked without them, unless you attach them again.",
          { files: listText(files) },
        )}
      </span>
    </p>
  );
}
