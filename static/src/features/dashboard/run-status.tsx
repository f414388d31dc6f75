import type { RunStatus } from "../../api/types";
import { msg, t } from "../../i18n";

const statuses: Readonly<Record<RunStatus, string>> = {
  queued: msg("waiting"),
  running: msg("running"),
  complete: msg("complete"),
  failed: msg("failed"),
  cancelled: msg("stopped"),
};
const isKnown = (status: string): status is RunStatus => Object.hasOwn(statuses, status);

/** Where a run stands; a status that is not known here is read as it is written. */
export const RunBadge = ({ status }: { status: string }) => (
  <span className={`badge run-${status}`}>{isKnown(status) ? t(statuses[status]) : status}</span>
);
