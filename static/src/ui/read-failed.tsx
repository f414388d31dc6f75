import { asProblem } from "../api/problem";
import { t } from "../i18n";
import { Notice } from "./notice";

/** Says what could not be read and why, with the way to try again. */
export function ReadFailed({
  text,
  query,
}: {
  /** A text of the catalogue, with a gap for the `reason`. */
  text: string;
  query: { error: unknown; refetch: () => unknown };
}) {
  return (
    <Notice tone="bad" urgent>
      {t(text, { reason: asProblem(query.error).message })}{" "}
      <button type="button" className="quiet-button" onClick={() => query.refetch()}>
        {t("Try again")}
      </button>
    </Notice>
  );
}
