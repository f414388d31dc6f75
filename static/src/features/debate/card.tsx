import { type KeyboardEvent, memo, useId, useState } from "react";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { Markdown } from "../../markdown/markdown";
import type { RunState } from "../../run/state";
import { Clamp } from "../../ui/clamp";
import { CopyButton } from "../../ui/copy";
import { Details } from "../../ui/disclosure";
import { count, duration, money, shortName, tokensPerSecond } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { usePrinting } from "../../ui/printing";
import { AskMember } from "../again/actions";
import { useAskable } from "../again/context";
import { filesRead } from "../attachments/files-read";
import { CardNotes } from "../council/card-notes";
import { Monogram } from "../council/monogram";
import { ServedBy } from "../council/served-by";
import { CallFailure } from "../failures/call-failure";
import { Awaited } from "../waiting/awaited";
import { showStatement, statementId, stepFrom } from "./jump";
import type { DebateState, RoundState, Statement, StatementState } from "./state";
import { StatementText } from "./text";
import { beginningOf, criticOf, labelText, roundBefore, shortLabel } from "./words";

const statusText = {
  waiting: msg("waiting"),
  writing: msg("speaking"),
  done: msg("has spoken"),
  failed: msg("failed"),
};

interface Props {
  run: RunState;
  debate: DebateState;
  round: RoundState;
  entry: StatementState;
  seat: number;
  startOpen: boolean;
}

function Link({ run, round, label }: { run: RunState; round: number; label: string }) {
  return (
    <a
      href={`#${statementId(run, round, label)}`}
      className="said-link"
      aria-label={t("{{label}}: to its statement in round {{round}}", {
        label: labelText(label),
        round,
      })}
      onClick={(event) => {
        event.preventDefault();
        showStatement(run, round, label);
      }}
    >
      {shortLabel(label)}
    </a>
  );
}

/** Whom it answers, and who was set on it: each a way to what was said there. */
function Links({ run, debate, round, entry }: Omit<Props, "seat" | "startOpen">) {
  const targets = entry.repliesTo.flatMap((label) => {
    const before = roundBefore(debate, round.number, label);
    return before ? [{ label, round: before.number }] : [];
  });
  const critic = criticOf(debate, round, entry.label);
  if (targets.length === 0 && !critic) return null;
  const speaker = <strong>{shortLabel(entry.label)}</strong>;
  const others = (
    <span className="said-others">
      {targets.map((target) => (
        <Link key={target.label} run={run} {...target} />
      ))}
    </span>
  );
  return (
    <p className="said-links">
      {targets.length > 0 && (
        <span>
          {round.type === "critique" ? (
            <T text="{{speaker}} criticises {{others}}" parts={{ speaker, others }} />
          ) : (
            <T text="{{speaker}} answers {{others}}" parts={{ speaker, others }} />
          )}
        </span>
      )}
      {critic && (
        <span>
          <T
            text="criticised by {{other}}"
            parts={{ other: <Link run={run} round={critic.round} label={critic.label} /> }}
          />
        </span>
      )}
    </p>
  );
}

function Facts({ result }: { result: Statement }) {
  const speed = tokensPerSecond(result);
  const facts = [
    duration(result.latency_ms) || null,
    speed ? t("{{speed}} tokens per second", { speed: count(speed) }) : null,
    result.error && result.cost === undefined ? null : money(result.cost),
  ].filter((fact) => fact !== null);
  return (
    <ul className="facts">
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}

/** The parts of the debate that it could not read. */
function leftOut({ left_out }: Statement): string[] {
  return (left_out ?? []).map(({ label, round_number: round = 0, shortened }) => {
    if (!label) {
      return shortened
        ? t("It read only the beginning and the end of the conversation before the question.")
        : t("It did not read the conversation before the question.");
    }
    const of = { label: shortLabel(label), round };
    return shortened
      ? t("It read only the beginning and the end of what {{label}} said in round {{round}}.", of)
      : t("It did not read what {{label}} said in round {{round}}.", of);
  });
}

function Flags({ entry: { result, restarted } }: { entry: StatementState }) {
  const flags = [
    result?.truncated && !result.error && t("Cut off at the model's length limit."),
    result?.system_prompt_dropped && t("The provider refused the system prompt; asked without it."),
    result?.addresses_judges && t("This statement tries to influence those who judge."),
    restarted && !result && t("Asked again after an interruption."),
    result && filesRead(result),
    ...(result ? leftOut(result) : []),
  ].filter((flag) => typeof flag === "string");
  if (flags.length === 0) return null;
  return (
    <ul className="flags">
      {flags.map((flag) => (
        <li key={flag}>{flag}</li>
      ))}
    </ul>
  );
}

function Failure({ entry, round }: { entry: StatementState; round: number }) {
  const { result } = entry;
  const askable = useAskable();
  return (
    <CallFailure
      kind={result?.error_kind}
      fact={result?.error_fact}
      model={entry.seat.model}
      text={result?.error}
      cut={result?.truncated === true && entry.text !== ""}
      otherwise={result?.error ? t("This speaker failed") : t("Did not finish")}
    >
      {entry.text && <p className="failure-kept">{t("What had arrived is kept below.")}</p>}
      {askable && <AskMember member={entry.seat.member} round={round} />}
    </CallFailure>
  );
}

function Inside({ run, debate, round, entry }: Omit<Props, "seat" | "startOpen">) {
  const { seat, result, status } = entry;
  const name = shortName(seat.member);
  return (
    <>
      <div className="said-who">
        <span className="said-name">{name}</span>
        {seat.model !== name && <span className="model-id">{seat.model}</span>}
        <ServedBy model={result?.served_by} />
      </div>
      {result && <Facts result={result} />}
      {(status === "waiting" || status === "writing") && (
        <Awaited member={seat.member} stage={`round${round.number}`} since={entry.since} />
      )}
      <Flags entry={entry} />
      <CardNotes said={entry} round={round.number} />
      {status === "failed" && <Failure entry={entry} round={round.number} />}
      {entry.reasoning && (
        <Details title={t("Reasoning")}>
          {() => <Markdown text={entry.reasoning} streaming={status === "writing"} />}
        </Details>
      )}
      <Clamp
        label={t("What {{label}} says", { label: labelText(entry.label) })}
        following={status === "writing"}
      >
        <StatementText
          entry={entry}
          link={(label) => {
            const before = roundBefore(debate, round.number, label);
            return before && <Link run={run} round={before.number} label={label} />;
          }}
        />
      </Clamp>
      {status === "done" && entry.text && (
        <div className="answer-foot">
          <CopyButton
            label={t("Copy")}
            name={t("Copy what {{label}} says", { label: labelText(entry.label) })}
            text={() => entry.text}
          />
        </div>
      )}
    </>
  );
}

/** One speaker in one round: its label first, and who that is once it is unfolded. */
export const StatementCard = memo(function StatementCard(props: Props) {
  const { run, round, entry, seat } = props;
  const { label, status } = entry;
  const [opened, setOpen] = useState(props.startOpen);
  const printing = usePrinting((state) => state.printing);
  const open = opened || printing;
  const id = useId();
  const said = t(statusText[status]);
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (stepFrom(event.currentTarget, event.key)) event.preventDefault();
  };
  return (
    <li id={statementId(run, round.number, label)} className={`said said-${status}`}>
      <article
        aria-label={t("{{label}} in round {{round}}", {
          label: labelText(label),
          round: round.number,
        })}
      >
        <h4 className="said-head">
          <button
            type="button"
            className="said-toggle"
            aria-expanded={open}
            aria-controls={`${id}-body`}
            onClick={() => setOpen(!open)}
            onKeyDown={onKeyDown}
          >
            <Monogram member={shortLabel(label)} seat={seat} />
            <span className="said-label">{labelText(label)}</span>
            <span className={`status status-${status}`}>
              {status === "done" ? <span className="visually-hidden">{said}</span> : said}
            </span>
            <Icon name="chevron" />
          </button>
        </h4>
        <Links {...props} />
        {!open && entry.text && <p className="said-beginning">{beginningOf(entry)}</p>}
        <div id={`${id}-body`} hidden={!open} className="said-body">
          {open && <Inside {...props} />}
        </div>
      </article>
    </li>
  );
});
