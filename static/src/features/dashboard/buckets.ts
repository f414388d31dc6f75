/** What the steps of a chart are called. */
import { t } from "../../i18n";
import { dateFormat } from "../../ui/format";
import type { Bucket, Unit } from "./figures";
import { dayName } from "./span";

const short = dateFormat({ month: "short", day: "numeric", timeZone: "UTC" });
const month = dateFormat({ month: "short", year: "numeric", timeZone: "UTC" });
const at = (day: string) => new Date(`${day}T00:00:00Z`);

/** Beneath an axis. */
export const tickName = (unit: Unit, { from }: Bucket) =>
  (unit === "month" ? month : short)(at(from));

/** In a table, or next to a figure. */
export function bucketName(unit: Unit, { from, until }: Bucket): string {
  if (unit === "month") return month(at(from));
  if (from === until) return dayName(from);
  return t("{{from}} to {{until}}", { from: short(at(from)), until: dayName(until) });
}
