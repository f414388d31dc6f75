import type { FoundSource } from "../../api/types";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { listText } from "../../ui/format";
import { SourceList } from "../citing/list";
import { listId } from "./around";
import { type Cited, citedIn, isCited } from "./cited";
import { sourcesOf } from "./state";

function CitedBy({ source: { n }, cited }: { source: FoundSource; cited: Cited }) {
  const names = [
    ...(cited.byFinal.has(n) ? [t("the final answer")] : []),
    ...(cited.byMembers.get(n) ?? []),
  ];
  if (names.length === 0) return null;
  return (
    <span className="source-facts">{t("Cited by {{names}}", { names: listText(names) })}</span>
  );
}

/** Numbers that were made up: nothing that was found stands behind them. */
function Invented({ cited: { invented } }: { cited: Cited }) {
  if (invented.length === 0) return null;
  return (
    <p className="sources-invented">
      {t("Some numbers belong to no source, and stand in the texts as they were written:")}{" "}
      {listText(
        invented.map(([name, count]) => t("{{name}} ({{count, number}})", { name, count })),
      )}
    </p>
  );
}

/** The list that every number leads to: what is cited first, then what was found besides. */
export default function SourcesPanel({ run }: { run: RunState }) {
  const all = sourcesOf(run);
  const cited = citedIn(run);
  const first = all.filter(({ n }) => isCited(cited, n));
  const rest = all.filter(({ n }) => !isCited(cited, n));
  const ids = listId(run);
  const more = (source: FoundSource) => <CitedBy source={source} cited={cited} />;
  return (
    <div className="stage">
      <Invented cited={cited} />
      {first.length > 0 && <SourceList sources={first} ids={ids} more={more} />}
      {first.length === 0 && rest.length > 0 && <SourceList sources={rest} ids={ids} />}
      {first.length > 0 && rest.length > 0 && (
        <Details title={t("Found, and not cited ({{sources}})", { sources: rest.length })}>
          {() => <SourceList sources={rest} ids={ids} />}
        </Details>
      )}
    </div>
  );
}
