import "../../styles/adversary.css";
import { msg, t } from "../../i18n";
import type { AdversaryState, Severity } from "./state";

const severities: Record<Severity, string> = {
  critical: msg("critical"),
  major: msg("major"),
  minor: msg("minor"),
  none: msg("no objection"),
};

export const severityName = (severity: Severity) => t(severities[severity] ?? severity);

/** The devil's advocate in a line: how grave it is, and what came of it. */
export function AdversarySummary({ adversary }: { adversary: AdversaryState }) {
  const { severity, status } = adversary;
  const outcome =
    status === "attacking"
      ? t("attacking the answer")
      : status === "revising"
        ? t("the answer is revised")
        : adversary.revised
          ? t("revised")
          : adversary.error
            ? t("failed")
            : severity === "none"
              ? t("nothing found")
              : t("not revised");
  return (
    <>
      {severity && severity !== "none" && (
        <span className={`badge severity-${severity}`}>{severityName(severity)}</span>
      )}{" "}
      {outcome}
    </>
  );
}
