import { Link } from "wouter";
import { useAnyRuns } from "../../api/insight";
import { msg, t } from "../../i18n";
import { dateFormat, when } from "../../ui/format";
import { ReadFailed } from "../../ui/read-failed";
import { Waiting } from "./panel";
import { formatText, type RunFormat } from "./run-format";
import { type Span, spanOf, spanText } from "./span";

const clock = dateFormat({ dateStyle: "long" });

interface Props {
  span: Span;
  format: RunFormat | null;
  clearedAt: string | null;
  onChoose: (span: Span) => void;
  onAllFormats: () => void;
}

/** Where there is nothing to count: for a newcomer, after clearing, in these days or in this format only. */
export function Empty({ span, format, clearedAt, onChoose, onAllFormats }: Props) {
  const any = useAnyRuns();
  if (any.isPending) return <Waiting />;
  if (any.data === undefined) {
    return <ReadFailed text={msg("Your figures could not be loaded: {{reason}}")} query={any} />;
  }
  if (any.data && format) {
    return (
      <section className="empty">
        <h2>{t("Nothing was asked in this format")}</h2>
        <p>
          {t("No question of yours had the format “{{format}}” {{when}}.", {
            format: formatText(format),
            when: spanText(span),
          })}
        </p>
        <p>
          <button type="button" className="button button-main" onClick={onAllFormats}>
            {t("Show all formats")}
          </button>
        </p>
      </section>
    );
  }
  if (any.data && span.preset !== "all") {
    return (
      <section className="empty">
        <h2>{t("Nothing was asked in this period")}</h2>
        <p>{t("You asked nothing {{when}}.", { when: spanText(span) })}</p>
        <p>
          <button
            type="button"
            className="button button-main"
            onClick={() => onChoose(spanOf("all", ""))}
          >
            {t("Show all time")}
          </button>
        </p>
      </section>
    );
  }
  return (
    <section className="empty">
      <h2>{clearedAt ? t("Your figures start again") : t("Nothing to count yet")}</h2>
      <p>
        {clearedAt &&
          `${t("You cleared your analytics on {{day}}.", { day: clock(when(clearedAt)) })} `}
        {t(
          "Every question you ask shows here which model the others ranked best, what it cost and how long it took.",
        )}
      </p>
      <ul>
        <li>{t("After the first question: who won, costs and times.")}</li>
        <li>{t("After about ten: ratings precise enough to tell two models apart.")}</li>
        <li>
          {t(
            "When you rate answers and choose the best one: what people thought, shown separately.",
          )}
        </li>
      </ul>
      <p>
        <Link href="/" className="button button-main">
          {t("Ask the council")}
        </Link>
      </p>
    </section>
  );
}
