import { t } from "../i18n";
import { money } from "./format";

/** A sum in words, with what is not in it: a call of unknown price must not look free. */
export function knownCost(usd: number | null | undefined, unknown: number): string {
  const sum = money(usd);
  if (unknown === 0 || usd === null || usd === undefined) return sum;
  return `${t("at least {{sum}}", { sum })} · ${t("{{count, number}} calls of unknown price", { count: unknown })}`;
}
