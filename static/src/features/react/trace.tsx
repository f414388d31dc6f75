import "../../styles/react.css";
import { useState } from "react";
import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import { Marked } from "../../markdown/marks";
import { isLive, type RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { usePrinting } from "../../ui/printing";
import { useCiting } from "../citing/context";
import { SourceList } from "../citing/list";
import { CallFailure } from "../failures/call-failure";
import { type Check, checksOf } from "./state";

function Found({ check }: { check: Check }) {
  const { sources } = useCiting();
  const found = check.found.flatMap((n) => sources.get(n) ?? []);
  if (check.error) {
    return (
      <CallFailure kind={null} fact={null} text={check.error} otherwise={t("The search failed")} />
    );
  }
  if (check.observation === null) return null;
  const title =
    found.length > 0 ? t("{{count, number}} results", { count: found.length }) : t("nothing found");
  if (found.length === 0 && !check.observation) return <p className="quiet">{title}</p>;
  return (
    <Details title={title}>
      {() =>
        found.length > 0 ? (
          <SourceList sources={found} />
        ) : (
          <Markdown text={check.observation ?? ""} />
        )
      }
    </Details>
  );
}

function Step({ check, live, named }: { check: Check; live: boolean; named: boolean }) {
  const { thought, action, query, observation, error } = check;
  return (
    <li className="check">
      {named && <p className="check-who">{shortName(check.model)}</p>}
      {thought && (
        <div className="check-thought">
          <p className="check-kind">{t("Thought")}</p>
          <Markdown text={thought} />
        </div>
      )}
      {action === "search_web" && (
        <p className="check-action">
          <Icon name="search" />
          <span>
            <span className="check-kind">{t("Search")}</span>{" "}
            {query && (
              <q dir="auto">
                <Marked text={query} />
              </q>
            )}
            {live && observation === null && error === null && (
              <span className="check-now"> {t("searching…")}</span>
            )}
          </span>
        </p>
      )}
      {action === "synthesize" && (
        <p className="check-action">
          <Icon name="pencil" />
          <span>{t("Enough is known: it writes.")}</span>
        </p>
      )}
      <Found check={check} />
    </li>
  );
}

/** What the chairman checked; open while it does, folded once it writes, unless a reader has opened something in it. */
export default function Trace({ run }: { run: RunState }) {
  const [chosen, choose] = useState<boolean | null>(null);
  const printing = usePrinting((state) => state.printing);
  const checks = checksOf(run);
  const live = isLive(run) && run.synthesis.text === "" && run.phase === "stage3";
  const open = (chosen ?? live) || printing;
  const searches = checks.filter(({ action }) => action === "search_web").length;
  const writers = new Set(checks.map(({ model }) => model)).size;
  return (
    <div className="checks">
      <button
        type="button"
        className="checks-head"
        aria-expanded={open}
        onClick={() => choose(!open)}
      >
        <Icon name="chevron" />
        {live ? t("The chairman checks") : t("The chairman checked")}
        <span className="quiet">
          {searches > 0
            ? t("{{count, number}} searches", { count: searches })
            : t("and saw no need to search")}
        </span>
      </button>
      {open && (
        <ol className="checks-list" onClickCapture={() => choose(true)}>
          {checks.map((check, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: checks only ever come at the end
            <Step key={at} check={check} live={live} named={writers > 1} />
          ))}
        </ol>
      )}
    </div>
  );
}
