import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Said, say } from "../../ui/said";
import { sentences } from "./facts";
import { secondReadingOf } from "./state";

/** Whether the answers were read a second time, and why. */
export function SecondReadingNote({ run }: { run: RunState }) {
  const info = secondReadingOf(run);
  if (!info) return null;
  return (
    <p className="run-note">
      <span className={info.held ? "badge badge-kind" : "badge"}>
        {info.held ? t("read twice") : t("read once")}
      </span>{" "}
      <Said said={say(sentences, info.reason_fact)} text={info.reason} />
    </p>
  );
}
