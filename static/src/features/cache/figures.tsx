import { useState } from "react";
import { type CacheStats, resetFigures } from "../../api/cache";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { Confirm } from "../../ui/confirm";
import { count, duration, money, percent } from "../../ui/format";
import { toast } from "../../ui/toast";
import { Figure } from "../dashboard/figure";
import { Panel } from "../dashboard/panel";

function Reset() {
  const [asks, setAsks] = useState(false);
  const reset = async () => {
    setAsks(false);
    try {
      await resetFigures();
      toast(t("The figures were reset."));
    } catch (error) {
      complain(msg("Not reset: {{message}}"))(error);
    }
  };
  return (
    <>
      <button type="button" className="quiet-button" onClick={() => setAsks(true)}>
        {t("Reset these figures…")}
      </button>
      {asks && (
        <Confirm
          title={t("Reset these figures?")}
          cancel={t("Keep them")}
          onCancel={() => setAsks(false)}
          actions={[{ label: t("Reset them"), tone: "danger", run: reset }]}
        >
          <p>{t("All of them go back to 0, which cannot be undone. The kept answers stay.")}</p>
        </Confirm>
      )}
    </>
  );
}

/** How often a question did without a run, and what that saved. */
export function Figures({ stats }: { stats: CacheStats }) {
  const { total_queries: queries, cache_hits: hits, embedding_failures: failures } = stats;
  return (
    <Panel title={t("What reusing has saved")} tools={queries > 0 && <Reset />}>
      <dl className="tiles">
        <Figure name={t("Questions looked up")}>{count(queries)}</Figure>
        <Figure name={t("Answered with an earlier answer")}>{count(hits)}</Figure>
        <Figure name={t("Share of questions")}>
          {queries > 0 ? percent(stats.hit_rate, 1) : "–"}
        </Figure>
        <Figure name={t("Cost saved")}>{money(stats.cost_saved)}</Figure>
        <Figure name={t("Time saved")}>
          {stats.time_saved > 0 ? duration(stats.time_saved) : "–"}
        </Figure>
      </dl>
      {failures > 0 && (
        <p className="quiet">
          {t(
            "Questions compared word for word only, because the embedding model failed: {{number}}",
            {
              number: count(failures),
            },
          )}
        </p>
      )}
    </Panel>
  );
}
