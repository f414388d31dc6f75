import { asProblem } from "../../api/problem";
import { useVersion } from "../../api/queries";
import type { VersionInfo } from "../../api/types";
import { t } from "../../i18n";
import { dateFormat, when } from "../../ui/format";

const builtAt = dateFormat({ dateStyle: "medium", timeStyle: "short" });

/** What the server says of a build that it knows nothing of. */
const unknown = "unknown";

/** The whole commit and when it was built, as far as the build knew them. */
function buildOf({ git_commit, build_time }: VersionInfo): string {
  const lines: string[] = [];
  if (git_commit !== unknown) lines.push(t("Commit {{commit}}", { commit: git_commit }));
  if (build_time !== unknown) {
    lines.push(t("Built on {{date}}", { date: builtAt(when(build_time)) }));
  }
  return lines.join("\n");
}

/**
 * The server's version, at the end of the settings: the first thing that is asked of people who
 * report a fault.
 */
export function Version() {
  const version = useVersion();
  if (version.isError && !version.data) {
    return (
      <p className="version">
        {t("The server’s version could not be loaded: {{reason}}", {
          reason: asProblem(version.error).message,
        })}
      </p>
    );
  }
  if (!version.data) return null;
  const { git_commit_short } = version.data;
  return (
    <p className="version" title={buildOf(version.data) || undefined}>
      {t("LLM Council {{version}}", { version: version.data.version })}
      {git_commit_short !== unknown && <code>{git_commit_short}</code>}
    </p>
  );
}
