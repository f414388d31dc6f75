import { asProblem, type FieldError } from "../../api/problem";
import { useScheduleTimes } from "../../api/schedules";
import { t } from "../../i18n";
import { count } from "../../ui/format";
import { useSettled } from "../composer/settled";
import { momentOf, zoneHere } from "./cadence";

/** The pause after typing, in milliseconds. */
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

/** How many parts an expression has, unless it is one of the names that begin with an at sign. */
const partsOfCron = 5;

/** What the server refuses of times, in the reader's words. */
export function timesWords(cron: string): Readonly<Record<"cron" | "time_zone", string>> {
  const parts = cron.trim().split(/\s+/).length;
  return {
    cron:
      parts === partsOfCron || cron.startsWith("@")
        ? t("This is no cron expression, or it names a day that never comes.")
        : t(
            "A cron expression has {{needed}} parts, with spaces between them; here it has {{number}}.",
            {
              needed: count(partsOfCron),
              number: count(parts),
            },
          ),
    time_zone: t("There is no such time zone. Write it like {{example}}.", {
      example: "Europe/Berlin",
    }),
  };
}

export interface Preview {
  /** The next times, as far as they are known. */
  times: readonly string[] | null;
  /** The zone that they are in. */
  zone: string;
  /** What the server finds wrong with what is typed now. */
  wrong: readonly FieldError[];
}

/** What an expression means, by its next times, before it is saved; or what is wrong with it. */
export function usePreview(cron: string, zone: string): Preview {
  const typed = JSON.stringify([cron, zone.trim()]);
  const asked = useSettled(typed, settlesMs, "[]");
  const [wanted = "", there = ""] = JSON.parse(asked) as string[];
  const { data, error } = useScheduleTimes(wanted, there);
  const words: Readonly<Record<string, string>> = timesWords(wanted);
  const fields = error && asked === typed ? asProblem(error).fields : [];
  return {
    times: data && !error ? data.next_times : null,
    zone: there,
    wrong: fields.map(({ field, message }) => ({ field, message: words[field] ?? message })),
  };
}
