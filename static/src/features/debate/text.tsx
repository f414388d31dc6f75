import type { ReactNode } from "react";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { Markdown } from "../../markdown/markdown";
import { Details } from "../../ui/disclosure";
import { listText } from "../../ui/format";
import type { StatementState } from "./state";
import { labelText, shortLabel } from "./words";

interface Props {
  entry: StatementState;
  /** The way to what a speaker has said before; null where that is nothing. */
  link: (label: string) => ReactNode;
}

/** The text in the parts that were read out of it; the whole stays at hand. */
function Parts({ entry, link }: Props) {
  const { result, text } = entry;
  if (!result) return null;
  return (
    <>
      {(result.critiques ?? []).map(({ of, text }) => (
        <section
          key={of}
          className="said-part"
          aria-label={t("On {{label}}", { label: labelText(of) })}
        >
          <h5>
            <T text="On {{label}}" parts={{ label: link(of) ?? shortLabel(of) }} />
          </h5>
          <Markdown text={text} />
        </section>
      ))}
      {result.addressed && (
        <section className="said-part" aria-label={t("To its critics")}>
          <h5>{t("To its critics")}</h5>
          <Markdown text={result.addressed} />
        </section>
      )}
      {result.revised_answer && (
        <section className="said-part" aria-label={t("Its answer now")}>
          <h5>{t("Its answer now")}</h5>
          <Markdown text={result.revised_answer} />
        </section>
      )}
      <Details title={t("As it was written")}>{() => <Markdown text={text} />}</Details>
    </>
  );
}

/** Whether the debate has moved the speaker, in a line above what it says. */
function Position({ entry: { result } }: { entry: StatementState }) {
  const position = result?.position;
  if (!position || typeof position.changed !== "boolean") return null;
  const others = listText((position.after ?? []).map(shortLabel));
  return (
    <p className="said-position">
      <span className={position.changed ? "badge badge-kind" : "badge"}>
        {position.changed
          ? others
            ? t("changed its position after {{others}}", { others })
            : t("changed its position")
          : t("keeps its position")}
      </span>
      {position.why && <span className="quiet"> {position.why}</span>}
    </p>
  );
}

export function StatementText({ entry, link }: Props) {
  const { result, text, status } = entry;
  if (!text) {
    if (status === "done") return <p className="quiet">{t("The statement is empty.")}</p>;
    if (status === "failed") return null;
    return (
      <p className="quiet">
        {entry.reasoning ? t("Reasoning…") : t("Waiting for the first words…")}
      </p>
    );
  }
  const hasParts = Boolean(
    result && (result.critiques?.length || result.addressed || result.revised_answer),
  );
  return (
    <>
      <Position entry={entry} />
      {hasParts ? (
        <Parts entry={entry} link={link} />
      ) : (
        <Markdown text={text} streaming={status === "writing"} />
      )}
    </>
  );
}
