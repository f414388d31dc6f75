import { t } from "../../i18n";
import { numberFormat } from "../../ui/format";

/** The size of a file, to be read and not to be added up. */
export function bytes(size: number): string {
  const number = numberFormat({ maximumFractionDigits: 1 });
  if (size < 1024) return t("{{size}} bytes", { size: number(size) });
  if (size < 1024 ** 2) return t("{{size}} KiB", { size: number(Math.round(size / 1024)) });
  return t("{{size}} MiB", { size: number(size / 1024 ** 2) });
}
