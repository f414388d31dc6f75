import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { Markdown } from "../../markdown/markdown";
import { Marked } from "../../markdown/marks";
import { Simulated } from "../citing/facts";
import { SourceList } from "../citing/list";
import { CallFailure } from "../failures/call-failure";
import type { PanelProps } from "../feature";
import type { WebSearchState } from "./state";

/** What was searched for, and what came of it. */
export default function WebSearchPanel({
  state: { query, status, result },
}: PanelProps<WebSearchState>) {
  return (
    <div className="stage">
      <p className="quiet">
        <T
          text="Searched for {{query}}"
          parts={{
            query: (
              <q dir="auto">
                <Marked text={query} />
              </q>
            ),
          }}
        />
      </p>
      {result?.simulated && <Simulated />}
      {status === "stopped" && <p className="quiet">{t("It did not finish.")}</p>}
      {result?.error && (
        <CallFailure
          kind={null}
          fact={null}
          text={result.error}
          otherwise={t("The search failed")}
        />
      )}
      {result?.answer && <Markdown text={result.answer} />}
      {result && result.sources?.length > 0 && <SourceList sources={result.sources} />}
      {result && !result.error && !result.answer && !result.sources?.length && (
        <p className="quiet">{t("Nothing was found.")}</p>
      )}
    </div>
  );
}
