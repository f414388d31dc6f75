import "../../styles/tools.css";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { Marked } from "../../markdown/marks";
import { Details } from "../../ui/disclosure";
import { duration } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { useCiting } from "../citing/context";
import { SourceList } from "../citing/list";
import { CallFailure } from "../failures/call-failure";
import type { ToolUse } from "./state";

function outcome(use: ToolUse): string {
  if (use.status === "running") return t("searching…");
  if (use.status === "failed") return use.error ? t("failed") : t("broken off");
  const found =
    use.found.length > 0
      ? t("{{count, number}} results", { count: use.found.length })
      : t("nothing found");
  return [found, duration(use.ms)].filter(Boolean).join(" · ");
}

function Use({ use }: { use: ToolUse }) {
  const { sources } = useCiting();
  const found = use.found.flatMap((n) => sources.get(n) ?? []);
  const query = (
    <q dir="auto">
      <Marked text={use.query} />
    </q>
  );
  const head = (
    <>
      <span className="tool-what">
        {use.query ? <T text="Search: {{query}}" parts={{ query }} /> : t("A search")}
      </span>{" "}
      <span className="tool-outcome">{outcome(use)}</span>
    </>
  );
  const opens = found.length > 0 || use.error;
  return (
    <li className={`tool tool-${use.status}`}>
      <span className="tool-mark" aria-hidden="true">
        <Icon name={use.status === "failed" ? "alert" : "search"} />
      </span>
      {opens ? (
        <Details title={head}>
          {() => (
            <>
              {use.error && (
                <CallFailure
                  kind={null}
                  fact={null}
                  text={use.error}
                  otherwise={t("The search failed")}
                />
              )}
              {found.length > 0 && <SourceList sources={found} />}
            </>
          )}
        </Details>
      ) : (
        <p className="tool-head">{head}</p>
      )}
    </li>
  );
}

/** The searches of one member, in order. */
export default function UseList({ uses }: { uses: readonly ToolUse[] }) {
  return (
    <ul className="tool-uses" aria-label={t("Searches of this member")}>
      {uses.map((use, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the stored ones have other ids, and one that was opened stays open
        <Use key={at} use={use} />
      ))}
    </ul>
  );
}
