import { useMemo } from "react";
import { type Reach, useAnalytics } from "../../api/insight";
import { msg, t } from "../../i18n";
import { Overview } from "../dashboard/overview";
import { Answered, Waiting } from "../dashboard/panel";
import { RangeBar } from "../dashboard/range-bar";
import { FormatBar, formatText, type RunFormat, useFormat } from "../dashboard/run-format";
import { type Span, spanError, spanText } from "../dashboard/span";
import { Summary } from "../dashboard/summary";
import { useSpan } from "../dashboard/use-span";

function Figures({ span, format }: { span: Span; format: RunFormat | null }) {
  const reach: Reach = useMemo(
    () => ({ whose: "everybody", from: span.from, until: span.until, format }),
    [span, format],
  );
  const analytics = useAnalytics(reach);
  const summary = analytics.data?.summary;
  if (summary && summary.total_queries === 0 && summary.total_calls === 0) {
    if (analytics.isPlaceholderData) return <Waiting />;
    return (
      <section className="empty">
        <h2>{t("Nothing to count")}</h2>
        <p>
          {format
            ? t("Nobody’s question had the format “{{format}}” {{when}}.", {
                format: formatText(format),
                when: spanText(span),
              })
            : t("Nobody asked anything {{when}}.", { when: spanText(span) })}
        </p>
      </section>
    );
  }
  return (
    <>
      <Answered
        query={analytics}
        failed={msg("The figures could not be loaded: {{reason}}")}
        lines={2}
      >
        {(data) => <Summary summary={data.summary} />}
      </Answered>
      {analytics.data && <Overview reach={reach} />}
    </>
  );
}

/** The dashboard over everybody's runs. */
export function Everybody() {
  const [span, setSpan] = useSpan();
  const [format, setFormat] = useFormat();
  return (
    <>
      <RangeBar span={span} onChoose={setSpan} />
      <FormatBar format={format} onChoose={setFormat} />
      <p className="quiet">
        {t(
          "Everybody’s runs; days are in UTC. Viewing this is recorded in the audit log. People who have cleared their analytics are left out of the rankings.",
        )}
      </p>
      {!spanError(span) && <Figures span={span} format={format} />}
    </>
  );
}
