import "../../styles/panels.css";
import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import { Changes } from "../../ui/changes";
import { Clamp } from "../../ui/clamp";
import { Details } from "../../ui/disclosure";
import { duration, money, shortName } from "../../ui/format";
import { Said, say } from "../../ui/said";
import { Monogram } from "../council/monogram";
import { CallFailure } from "../failures/call-failure";
import { errorTitles } from "../failures/kinds";
import type { PanelProps } from "../feature";
import { sentences } from "./facts";
import type { Critique, IterationState, RefinementState } from "./state";

function verdict(critique: Critique): string {
  if (critique.error) {
    return critique.error_kind ? t(errorTitles[critique.error_kind]) : t("failed");
  }
  return critique.is_substantive ? t("names faults") : t("finds nothing");
}

function CritiqueEntry({ critique, seat }: { critique: Critique; seat: number }) {
  const facts = [
    duration(critique.latency_ms),
    critique.error && critique.cost === undefined ? "" : money(critique.cost),
  ];
  const title = (
    <>
      <Monogram member={critique.member} seat={seat} />
      <span className="critique-who">{shortName(critique.member)}</span>
      <span className={critique.is_substantive || critique.error ? "badge badge-lenient" : "badge"}>
        {verdict(critique)}
      </span>
    </>
  );
  return (
    <li className="critique">
      <Details title={title}>
        {() => (
          <>
            {critique.error && (
              <CallFailure
                kind={critique.error_kind}
                fact={critique.error_fact}
                text={critique.error}
                otherwise={t("failed")}
                titled={false}
              />
            )}
            {critique.critique ? (
              <Markdown text={critique.critique} />
            ) : (
              !critique.error && <p className="quiet">{t("The critique is empty.")}</p>
            )}
            <p className="quiet">{facts.filter(Boolean).join(" · ")}</p>
          </>
        )}
      </Details>
    </li>
  );
}

function heading(entry: IterationState): string {
  const found = entry.critiques.filter((critique) => critique.is_substantive).length;
  const count = Math.max(entry.asked, entry.critiques.length);
  switch (entry.status) {
    case "critiques":
      return t("{{done}} of {{count, number}} critiques in", {
        done: entry.critiques.length,
        count,
      });
    case "revising":
      return t("{{found}} of {{count, number}} critics named faults; being revised", {
        found,
        count,
      });
    case "done":
      return t("{{found}} of {{count, number}} critics named faults; revised", { found, count });
    case "stopped":
      return t("{{found}} of {{count, number}} critics named faults; not revised", {
        found,
        count,
      });
  }
}

interface RoundProps extends PanelProps<RefinementState> {
  entry: IterationState;
}

function Round({ state, run, before, entry }: RoundProps) {
  const seats = run.answers.map((answer) => answer.seat.member);
  const earlier = state.iterations.findLast(
    ({ iteration, status }) => iteration < entry.iteration && status === "done",
  );
  const writing = entry.status === "revising";
  return (
    <section className="round" aria-label={t("Round {{round}}", { round: entry.iteration })}>
      <h4>
        {t("Round {{round}}", { round: entry.iteration })}{" "}
        <span className="round-found">{heading(entry)}</span>
      </h4>
      {entry.reason && (
        <p className="quiet">
          <Said said={say(sentences, entry.reason.fact)} text={entry.reason.text} />
        </p>
      )}
      <ul className="critiques">
        {entry.critiques.map((critique) => (
          <CritiqueEntry
            key={critique.member}
            critique={critique}
            seat={Math.max(0, seats.indexOf(critique.member))}
          />
        ))}
      </ul>
      {entry.status === "done" && <Changes before={earlier?.text ?? before} after={entry.text} />}
      {entry.text !== "" && entry.status !== "done" && (
        <div className="round-text">
          <p className="quiet">
            {writing ? t("The revision as it is written") : t("The revision was not finished")}
          </p>
          <Clamp
            label={t("Revision of round {{round}}", { round: entry.iteration })}
            following={writing}
          >
            <Markdown text={entry.text} streaming={writing} />
          </Clamp>
        </div>
      )}
      {entry.status === "done" && (
        <Details title={t("The answer after this round")}>
          {() => <Markdown text={entry.text} />}
        </Details>
      )}
    </section>
  );
}

/** How the draft became better: round by round, who criticised what, and what was changed. */
export default function RefinementPanel(props: PanelProps<RefinementState>) {
  return (
    <div className="rounds">
      {props.state.iterations.map((entry) => (
        <Round key={entry.iteration} entry={entry} {...props} />
      ))}
    </div>
  );
}
