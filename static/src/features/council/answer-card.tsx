import { memo } from "react";
import type { Answer } from "../../api/types";
import { msg, t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import type { AnswerState } from "../../run/state";
import { Clamp } from "../../ui/clamp";
import { CopyButton } from "../../ui/copy";
import { Details } from "../../ui/disclosure";
import { count, duration, money, shortName, tokensPerSecond } from "../../ui/format";
import { features } from "..";
import { AskMember } from "../again/actions";
import { useAskable } from "../again/context";
import { filesRead } from "../attachments/files-read";
import { CallFailure } from "../failures/call-failure";
import { Awaited } from "../waiting/awaited";
import { useUnderWay } from "../waiting/context";
import { RetryMember } from "../waiting/retry-member";
import { CardNotes } from "./card-notes";
import { Monogram } from "./monogram";
import { ServedBy } from "./served-by";

const statusText = {
  waiting: msg("waiting"),
  writing: msg("writing"),
  done: msg("answered"),
  failed: msg("failed"),
};

/** How much of the question the provider had read before, and charges less for. */
function fromCache(usage: Answer["usage"]): string | null {
  if (!usage?.cached_tokens) return null;
  return t("{{cached}} of {{all}} tokens read from the cache", {
    cached: count(usage.cached_tokens),
    all: count(usage.prompt_tokens),
  });
}

/** What was asked and what was answered, apart: they cost differently. */
function tokens(usage: Answer["usage"]): string | null {
  if (!usage?.completion_tokens) return null;
  return t("{{asked}} tokens read, {{answered}} written", {
    asked: count(usage.prompt_tokens),
    answered: count(usage.completion_tokens),
  });
}

function Facts({ answer, result }: { answer: AnswerState; result: Answer }) {
  const speed = tokensPerSecond(result);
  const facts = [
    answer.reasoning ? t("with reasoning") : null,
    ...features.map(({ answerFact }) => answerFact?.(answer) ?? null),
    result.confidence ? t("confidence {{confidence}}/10", { confidence: result.confidence }) : null,
    duration(result.latency_ms) || null,
    speed ? t("{{speed}} tokens per second", { speed: count(speed) }) : null,
    tokens(result.usage),
    fromCache(result.usage),
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

/** What is to be known of an answer before it is read. */
export function Flags({ answer: { result, restarted, late } }: { answer: AnswerState }) {
  const flags = [
    result?.truncated && !result.error && t("Cut off at the model's length limit."),
    result?.system_prompt_dropped && t("The provider refused the system prompt; asked without it."),
    result?.addresses_judges && t("This answer tries to influence its reviewers."),
    result && filesRead(result),
    late && !result && t("The reviews began without this answer."),
    restarted && !result && t("Asked again after an interruption."),
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

function Failure({ answer, round, retries }: Pick<Props, "answer" | "round" | "retries">) {
  const { result } = answer;
  const askable = useAskable();
  const runId = useUnderWay();
  return (
    <CallFailure
      kind={result?.error_kind}
      fact={result?.error_fact}
      model={answer.seat.model}
      text={result?.error}
      cut={result?.truncated === true && answer.text !== ""}
      otherwise={result?.error ? t("This member failed") : t("Did not finish")}
    >
      {answer.text && <p className="failure-kept">{t("What had arrived is kept below.")}</p>}
      {askable && <AskMember member={answer.seat.member} round={round} />}
      {retries && runId !== null && <RetryMember runId={runId} member={answer.seat.member} />}
    </CallFailure>
  );
}

function Body({ answer }: { answer: AnswerState }) {
  for (const { answerBody } of features) {
    const own = answerBody?.(answer);
    if (own) return own;
  }
  if (answer.text) return <Markdown text={answer.text} streaming={answer.status === "writing"} />;
  if (answer.status === "done") return <p className="quiet">{t("The answer is empty.")}</p>;
  if (answer.status === "failed") return null;
  return (
    <p className="quiet">
      {answer.reasoning ? t("Reasoning…") : t("Waiting for the first words…")}
    </p>
  );
}

interface Props {
  answer: AnswerState;
  seat: number;
  /** In which round of asking it was given, where a run has several. */
  round?: number | undefined;
  /** It was taken before the others. */
  isBest?: boolean;
  /** It can be asked again in its run. */
  retries?: boolean;
}

export const AnswerCard = memo(function AnswerCard(props: Props) {
  const { answer, seat, round, isBest = false, retries = false } = props;
  const { member, model } = answer.seat;
  const name = shortName(member);
  return (
    <article
      className={`answer answer-${answer.status}${isBest ? " answer-best" : ""}`}
      aria-label={t("Answer of {{member}}", { member })}
    >
      <header className="answer-head">
        <Monogram member={member} seat={seat} />
        <div className="answer-who">
          <h4>
            {name}
            {answer.tier !== null && (
              <span className="tier">{t("tier {{tier}}", { tier: answer.tier })}</span>
            )}
          </h4>
          {model !== name && <span className="model-id">{model}</span>}
          <ServedBy model={answer.result?.served_by} />
        </div>
        {answer.status === "done" && answer.text ? (
          <CopyButton label={t("Copy")} text={() => answer.text} />
        ) : (
          <span className={`status status-${answer.status}`}>{t(statusText[answer.status])}</span>
        )}
      </header>
      {isBest && (
        <p>
          <span className="badge badge-kind">{t("taken for the final answer")}</span>
        </p>
      )}
      {answer.result && <Facts answer={answer} result={answer.result} />}
      {(answer.status === "waiting" || answer.status === "writing") && !answer.late && (
        <Awaited member={member} since={answer.since} />
      )}
      {answer.late && answer.status === "done" && (
        <p>
          <span className="badge badge-late">{t("came late, not reviewed")}</span>
        </p>
      )}
      <Flags answer={answer} />
      <CardNotes said={answer} round={round ?? null} />
      {answer.status === "failed" && <Failure answer={answer} round={round} retries={retries} />}
      {answer.reasoning && (
        <Details title={t("Reasoning")}>
          {() => <Markdown text={answer.reasoning} streaming={answer.status === "writing"} />}
        </Details>
      )}
      <Clamp
        label={t("Answer of {{member}}", { member: name })}
        following={answer.status === "writing"}
      >
        <Body answer={answer} />
      </Clamp>
    </article>
  );
});
