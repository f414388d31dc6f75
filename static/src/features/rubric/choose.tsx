import "../../styles/rubric.css";
import { useId, useRef, useState } from "react";
import { Link } from "wouter";
import { draftRubric, type Entry, useChoice, useEntry } from "../../api/library";
import { asProblem } from "../../api/problem";
import { msg, t } from "../../i18n";
import { Details } from "../../ui/disclosure";
import { count, shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";
import { ReadFailed } from "../../ui/read-failed";
import type { MoreProps } from "../feature";
import { beginWith } from "../library/begins";

const none = "";
const here = "here";
const most = 8_000;

/** What one of the library says. */
function Says({ id }: { id: string }) {
  const entry = useEntry(id);
  if (entry.data) {
    return (
      <pre dir="auto" className="rubric-said">
        {entry.data.text}
      </pre>
    );
  }
  if (entry.isPending) return <p className="quiet">{t("Loading…")}</p>;
  return <ReadFailed text={msg("It could not be loaded: {{reason}}")} query={entry} />;
}

/**
 * None, one of the library, or one that is written here; by the reader, or by a model for them to
 * change.
 */
export default function Choose({ choices, question = "", onChange }: MoreProps) {
  const id = useId();
  const rubric = choices.rubric ?? null;
  const list = useChoice("rubric");
  const [writes, setWrites] = useState(false);
  const [text, setText] = useState(rubric?.id ? "" : (rubric?.text ?? ""));
  const [busy, setBusy] = useState(false);
  const [said, setSaid] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  // What stood here before a draft took its place; the last comes back first.
  const [others, setOthers] = useState<readonly string[]>([]);
  const box = useRef<HTMLTextAreaElement>(null);
  const before = others.at(-1);
  // Taken back at its chip, or gone with the question that it was written for.
  if (writes && rubric === null && text.trim() !== "") {
    setWrites(false);
    setSaid(null);
  }
  const chosen = rubric ? (rubric.id ?? here) : writes ? here : none;
  const isKnown = list.data?.some((entry) => entry.id === chosen) ?? false;
  const length = text.length > most * 0.9 ? [...text].length : 0;

  const written = useRef(text);
  const write = (next: string) => {
    written.current = next;
    setText(next);
    onChange({ rubric: next.trim() === "" ? null : { text: next } });
  };
  /** What is saved takes the place of what was written here: it is the same, and others may use it. */
  const takeSaved = ({ id, name }: Pick<Entry, "id" | "name">) =>
    onChange({ rubric: { id, name } });
  const choose = (value: string) => {
    setWrites(value === here);
    setSaid(null);
    setFailed(null);
    if (value === none) return onChange({ rubric: null });
    if (value === here) return write(text);
    const name = list.data?.find((entry) => entry.id === value)?.name;
    onChange({ rubric: { id: value, ...(name !== undefined && { name }) } });
  };
  /** Nothing that was typed is lost without a way back, and neither is the draft. */
  const bringBack = (before: string) => {
    setOthers(text.trim() === "" ? others.slice(0, -1) : [text, ...others.slice(0, -1)]);
    setSaid(null);
    write(before);
    box.current?.focus();
  };
  const draft = async () => {
    if (busy || question.trim() === "") return;
    setBusy(true);
    setSaid(null);
    setFailed(null);
    try {
      const made = await draftRubric(question);
      setWrites(true);
      // As it is now: the reader may have gone on writing.
      const mine = written.current;
      if (mine.trim() !== "") setOthers((known) => [...known, mine]);
      write(made.text);
      setSaid(t("Drafted by {{model}}. Change it as you like.", { model: shortName(made.model) }));
    } catch (error) {
      setFailed(asProblem(error).message);
    } finally {
      setBusy(false);
    }
  };

  return (
    <div className="rubric-choice">
      <div className="option-fields">
        <select
          className="input"
          aria-label={t("Rubric")}
          value={chosen}
          onChange={(event) => choose(event.target.value)}
        >
          <option value={none}>{t("None")}</option>
          <option value={here}>{t("Written here")}</option>
          {chosen !== none && chosen !== here && !isKnown && (
            <option value={chosen}>{rubric?.name ?? t("One of the library")}</option>
          )}
          {list.data?.map((entry) => (
            <option key={entry.id} value={entry.id}>
              {entry.is_mine ? entry.name : `${entry.name} (${entry.author})`}
            </option>
          ))}
        </select>
        {question.trim() !== "" && (
          <button type="button" className="button" aria-disabled={busy} onClick={draft}>
            {busy ? t("Drafting…") : t("Draft one from the question")}
          </button>
        )}
        <Link href="/library" className="option-link">
          {t("Library")}
        </Link>
      </div>
      {list.isError && !list.data && (
        <ReadFailed text={msg("The library could not be loaded: {{reason}}")} query={list} />
      )}
      {failed && (
        <Notice tone="bad" urgent>
          {t("No draft: {{reason}}", { reason: failed })}
        </Notice>
      )}
      {chosen === here && (
        <div className="rubric-text">
          <label htmlFor={id}>{t("Criteria")}</label>
          <textarea
            ref={box}
            id={id}
            className="input"
            rows={5}
            dir="auto"
            value={text}
            aria-describedby={`${id}-hint`}
            aria-invalid={length > most}
            placeholder={t("- Correct: what it says is true\n- Brief: nothing could be left out")}
            onChange={(event) => write(event.target.value)}
          />
          <span id={`${id}-hint`} className="quiet">
            {t("For this question alone: what is to be used again belongs in the library.")}
          </span>
          {text.trim() !== "" && (
            <Link
              href="/library/new/rubric"
              className="rubric-save"
              onClick={() => beginWith({ kind: "rubric", name: "", text }, takeSaved)}
            >
              {t("Save to the library")}
            </Link>
          )}
          {length > 0 && (
            <span className={length > most ? "counter counter-over" : "counter"}>
              {t("{{length}} of {{limit}} characters", {
                length: count(length),
                limit: count(most),
              })}
            </span>
          )}
        </div>
      )}
      {rubric?.id && (
        <Details key={rubric.id} title={t("What it says")}>
          {() => <Says id={rubric.id ?? ""} />}
        </Details>
      )}
      <p className="quiet" role="status">
        {said}
      </p>
      {before !== undefined && chosen === here && (
        <p>
          <button type="button" className="quiet-button" onClick={() => bringBack(before)}>
            <Icon name="redo" />
            {t("Bring back what stood here before")}
          </button>
        </p>
      )}
    </div>
  );
}
