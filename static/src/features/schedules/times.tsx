import { useScheduleTimes } from "../../api/schedules";
import { t } from "../../i18n";
import { useSettled } from "../composer/settled";
import { momentOf, zoneHere } from "./cadence";

/** While somebody types. */
const settlesMs = 300;

/** The next times in a row; the zone where it is not the reader's. */
export function NextTimes({ times, zone }: { times: readonly string[]; zone: string }) {
  const next = times.map(momentOf).join(" · ");
  return (
    <span className="schedule-times">
      {zone === zoneHere()
        ? t("Next: {{times}}", { times: next })
        : t("Next: {{times}} ({{zone}})", { times: next, zone })}
    </span>
  );
}

/** What an expression means, by its next times, before it is saved. */
export function Preview({ cron, zone }: { cron: string; zone: string }) {
  const asked = useSettled(JSON.stringify([cron, zone.trim()]), settlesMs, "[]");
  const [wanted = "", there = ""] = JSON.parse(asked) as string[];
  const { data, isError } = useScheduleTimes(wanted, there);
  return (
    <p className="schedule-preview" role="status">
      {data && !isError ? (
        <NextTimes times={data.next_times} zone={there} />
      ) : isError ? (
        t("There are no such times yet.")
      ) : (
        " "
      )}
    </p>
  );
}
