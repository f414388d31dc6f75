import type { Money } from "../../api/types";
import { t } from "../../i18n";
import { CostMarks } from "../../ui/cost-marks";
import { money } from "../../ui/format";

/** A sum as far as it is known: a price that nobody told is never shown as 0. */
export function Cost({ of }: { of: Money }) {
  const unknown = of.unknown_cost_calls;
  if ((of.total_cost ?? null) === null) {
    return unknown > 0 ? <span className="unknown">{t("unknown")}</span> : <>–</>;
  }
  return (
    <>
      {money(of.total_cost)}
      <CostMarks unknown={unknown} estimated={of.estimated_cost_calls} />
    </>
  );
}

/** What the marks in a table mean, in a line. */
export function CostLegend({ of }: { of: Money }) {
  const marks = [
    of.estimated_cost_calls > 0 && (["≈", t("partly calculated from list prices")] as const),
    of.unknown_cost_calls > 0 && (["+", t("without calls of unknown price")] as const),
  ].filter((mark) => mark !== false);
  if (marks.length === 0) return null;
  return (
    <p className="cost-legend">
      {marks.map(([mark, text]) => (
        <span key={mark}>
          <span className="cost-mark">{mark}</span> {text}
        </span>
      ))}
    </p>
  );
}

/** The notes with how many calls they are about. */
export function CostNotes({ of, prices }: { of: Money; prices?: string | undefined }) {
  const { unknown_cost_calls: unknown, estimated_cost_calls: estimated } = of;
  if (unknown === 0 && estimated === 0) return null;
  return (
    <div className="cost-notes">
      {unknown > 0 && (
        <p>
          <span className="cost-mark">+</span>{" "}
          {t(
            "{{count, number}} calls without a known price are in no sum, so the true sums are higher.",
            { count: unknown },
          )}
        </p>
      )}
      {estimated > 0 && (
        <p>
          <span className="cost-mark">≈</span>{" "}
          {prices
            ? t(
                "{{count, number}} calls worked out from list prices (the built-in list dates from {{date}}): what the provider charges may differ, and is likely to be lower.",
                { count: estimated, date: prices },
              )
            : t(
                "{{count, number}} calls worked out from list prices: what the provider charges may differ, and is likely to be lower.",
                { count: estimated },
              )}
        </p>
      )}
    </div>
  );
}
