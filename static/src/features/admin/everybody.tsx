import { useMemo } from "react";
import { type Reach, useAnalytics } from "../../api/insight";
import { msg, t } from "../../i18n";
import { Overview } from "../dashboard/overview";
import { Answered, Waiting } from "../dashboard/panel";
import { RangeBar } from "../dashboard/range-bar";
import { type Span, spanError, spanText } from "../dashboard/span";
import { Summary } from "../dashboard/summary";
import { useSpan } from "../dashboard/use-span";

function Figures({ span }: { span: Span }) {
  const reach: Reach = useMemo(
    () => ({ whose: "everybody", from: span.from, until: span.until }),
    [span],
  );
  const analytics = useAnalytics(reach);
  const summary = analytics.data?.summary;
  if (summary && summary.total_queries === 0 && summary.total_calls === 0) {
    if (analytics.isPlaceholderData) return <Waiting />;
    return (
      <section className="empty">
        <h2>{t("Nothing to count")}</h2>
        <p>{t("Nobody asked anything {{when}}.", { when: spanText(span) })}</p>
      </section>
    );
  }
  return (
    <>
      <Answered
        query={analytics}
        failed={msg("The figures could not be read: {{reason}}")}
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
  return (
    <>
      <RangeBar span={span} onChoose={setSpan} />
      <p className="quiet">
        {t(
          "Everybody’s runs; days are in UTC. Viewing this is recorded in the audit log. People who have cleared their analytics are left out of the rankings.",
        )}
      </p>
      {!spanError(span) && <Figures span={span} />}
    </>
  );
}
