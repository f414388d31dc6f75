import { t } from "../i18n";

/** What a sum of costs leaves out, and what in it is an estimate: marks next to the figure. */
export function CostMarks({ unknown, estimated }: { unknown: number; estimated: number }) {
  return (
    <>
      {estimated > 0 && (
        <span className="cost-mark">
          <span aria-hidden="true"> ≈</span>
          <span className="visually-hidden"> {t("partly estimated")}</span>
        </span>
      )}
      {unknown > 0 && (
        <span className="cost-mark">
          <span aria-hidden="true"> +</span>
          <span className="visually-hidden">
            {" "}
            {t("and {{count, number}} calls of unknown price", { count: unknown })}
          </span>
        </span>
      )}
    </>
  );
}
