import { t } from "../../i18n";
import { isLive } from "../../run/state";
import { useLasting, useOnline } from "../../ui/media";
import type { LiveRun } from "../asking/runs";

/** Most breaks mend themselves sooner, and then nobody need know. */
const unnoticedMs = 1_000;

function linkText({ link, run }: LiveRun, online: boolean): string {
  if (!online) {
    return run.runId === null
      ? t("Offline. The question is sent once the connection is back.")
      : t("Offline. The run goes on at the server.");
  }
  if (run.runId === null && link.state === "reconnecting" && link.because !== "network") {
    return t("The server is restarting. The question is sent as soon as it is back.");
  }
  const because = link.state === "reconnecting" ? link.because : "network";
  switch (because) {
    case "restart":
      return t("The server is restarting. Reconnecting…");
    case "unavailable":
      return t("The server is not available. Reconnecting…");
    case "network":
      return t("Reconnecting…");
  }
}

/**
 * What the page does about a lost connection. It floats over the text, so that nothing moves when it
 * comes and goes; the text stays as it is.
 */
export function LinkStatus({ live }: { live: LiveRun | null }) {
  const online = useOnline();
  const broken =
    live !== null && live.link.state === "reconnecting" && !live.refused && isLive(live.run);
  const shown = useLasting(broken, unnoticedMs);
  return (
    <div className="link-status" role="status">
      {shown && live && (
        <p>
          <span className="link-dot" aria-hidden="true" />
          {linkText(live, online)}
        </p>
      )}
    </div>
  );
}
