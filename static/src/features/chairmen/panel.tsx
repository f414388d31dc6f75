import "../../styles/chairmen.css";
import "../../styles/panels.css";
import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import { isLive } from "../../run/state";
import { Clamp } from "../../ui/clamp";
import { CopyButton } from "../../ui/copy";
import { Details } from "../../ui/disclosure";
import { duration, money, shortName } from "../../ui/format";
import { useMedia } from "../../ui/media";
import { Said } from "../../ui/said";
import { Tabs } from "../../ui/tabs";
import { notesOf } from "../council/notes";
import { ServedBy } from "../council/served-by";
import { CallFailure } from "../failures/call-failure";
import type { PanelProps } from "../feature";
import type { ChairmenState, SynthesisDraft } from "./state";

const letter = (place: number) => String.fromCharCode(65 + place);

function DraftCard({ draft, selected }: { draft: SynthesisDraft; selected: boolean }) {
  const name = shortName(draft.model);
  return (
    <article
      className={selected ? "answer draft-chosen" : "answer"}
      aria-label={t("Draft {{label}} by {{model}}", { label: draft.label, model: draft.model })}
    >
      <header className="answer-head">
        <span className="draft-label" aria-hidden="true">
          {draft.label}
        </span>
        <div className="answer-who">
          <h4>{name}</h4>
          {draft.model !== name && <span className="model-id">{draft.model}</span>}
          <ServedBy model={draft.served_by} />
        </div>
        {selected && <span className="badge badge-kind">{t("chosen")}</span>}
        {draft.response && !draft.error && (
          <CopyButton label={t("Copy")} text={() => draft.response} />
        )}
      </header>
      <ul className="facts">
        {[duration(draft.latency_ms), draft.error && !draft.cost ? "" : money(draft.cost)]
          .filter(Boolean)
          .map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
      </ul>
      {draft.error && (
        <CallFailure
          kind={draft.error_kind}
          fact={draft.error_fact}
          text={draft.error}
          otherwise={t("This chairman failed")}
        />
      )}
      {(draft.notes?.length || draft.truncated) && (
        <ul className="flags">
          {draft.truncated && <li>{t("Cut off at the model's length limit.")}</li>}
          {notesOf(draft).map((note) => (
            <li key={note.text}>
              <Said {...note} />
            </li>
          ))}
        </ul>
      )}
      {draft.reasoning && (
        <Details title={t("Reasoning")}>{() => <Markdown text={draft.reasoning ?? ""} />}</Details>
      )}
      {draft.response && (
        <Clamp label={t("Draft {{label}}", { label: draft.label })} following={false}>
          <Markdown text={draft.response} />
        </Clamp>
      )}
    </article>
  );
}

function Awaited({ model, label }: { model: string; label: string }) {
  return (
    <article className="answer" aria-label={t("Draft {{label}} by {{model}}", { label, model })}>
      <header className="answer-head">
        <span className="draft-label" aria-hidden="true">
          {label}
        </span>
        <div className="answer-who">
          <h4>{shortName(model)}</h4>
        </div>
        <span className="status status-writing">{t("writing")}</span>
      </header>
    </article>
  );
}

/** The drafts of all chairmen, which of them was chosen, and why. */
export default function ChairmenPanel({ state, run }: PanelProps<ChairmenState>) {
  const narrow = useMedia("(max-width: 859px)");
  const { models, drafts, selected, selector, evaluation, reasoning } = state;
  const all = models.length > 0 ? models : drafts.map((draft) => draft.model);
  const choosing = selector !== null && selected === null && isLive(run);
  const cards = all.map((model, place) => {
    const label = letter(place);
    const draft = drafts.find((one) => one.label === label);
    const isSelected = draft !== undefined && draft.label === selected;
    return {
      key: label,
      title: (
        <>
          {label} <span className="tier">{shortName(model)}</span>
          {isSelected && <span className="visually-hidden"> {t("(chosen)")}</span>}
        </>
      ),
      body: () =>
        draft ? (
          <DraftCard draft={draft} selected={isSelected} />
        ) : (
          <Awaited model={model} label={label} />
        ),
    };
  });
  return (
    <div className="rounds">
      {selected !== null && (
        <div className="run-note">
          <p>
            <span className="badge badge-kind">{t("draft {{label}}", { label: selected })}</span>{" "}
            {selector
              ? t("chosen by {{model}}", { model: shortName(selector) })
              : t("stands: nobody had to choose")}
          </p>
          {reasoning && <p>{reasoning}</p>}
          {evaluation && (
            <Details title={t("Everything the chairman wrote of the drafts")}>
              {() => <Markdown text={evaluation} />}
            </Details>
          )}
        </div>
      )}
      {choosing && (
        <div className="round">
          <h4>{t("{{model}} chooses among the drafts", { model: shortName(selector) })}</h4>
          <Clamp label={t("The choice as it is written")} following>
            {evaluation ? (
              <Markdown text={evaluation} streaming />
            ) : (
              <p className="quiet">{t("Reading the drafts…")}</p>
            )}
          </Clamp>
        </div>
      )}
      {narrow ? (
        <Tabs
          label={t("Drafts")}
          tabs={cards}
          start={Math.max(
            0,
            cards.findIndex(({ key }) => key === selected),
          )}
        />
      ) : (
        <div className="answers">
          {cards.map(({ key, body }) => (
            <div key={key} className="draft-place">
              {body()}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
