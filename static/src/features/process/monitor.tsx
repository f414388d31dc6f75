import "../../styles/process.css";
import { useEffect, useMemo, useRef, useState } from "react";
import { asProblem } from "../../api/problem";
import type { NoteCategory } from "../../api/types";
import { msg, t } from "../../i18n";
import type { ProcessNote, RunState } from "../../run/state";
import { dateFormat, when } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";
import { Said } from "../../ui/said";
import { sentenceOf } from "./sentences";
import { useNotes } from "./use-notes";

const categories: Record<NoteCategory, string> = {
  stage: msg("Stages"),
  model: msg("Models"),
  info: msg("Progress"),
  success: msg("Done"),
  warning: msg("Warnings"),
  error: msg("Errors"),
  data: msg("Figures"),
};

const levels = ["", msg("Stages only"), msg("And models"), msg("Everything")];
const clock = dateFormat({ timeStyle: "medium", hourCycle: "h23" });

/** A box that follows its end until the reader scrolls away, and again once they are back there. */
function useFollow(length: number) {
  const box = useRef<HTMLOListElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what has grown is to be followed
  useEffect(() => {
    if (atEnd && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [length, atEnd]);
  const onScroll = () => {
    const element = box.current;
    if (element) setAtEnd(element.scrollHeight - element.scrollTop - element.clientHeight < 24);
  };
  return { box, atEnd, onScroll, toEnd: () => setAtEnd(true) };
}

const plain = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(plain).join(", ")
    : typeof value === "object" && value !== null
      ? JSON.stringify(value)
      : String(value);

function Entry({ note }: { note: ProcessNote }) {
  const said = <Said said={sentenceOf(note.fact)} text={note.message} />;
  const facts = Object.entries(note.details ?? {}).filter(([, value]) => value !== null);
  return (
    <li className={`note note-${note.category}`}>
      <time dateTime={note.timestamp}>{clock(when(note.timestamp))}</time>
      <span className="visually-hidden">{t(categories[note.category] ?? note.category)}: </span>
      {facts.length === 0 ? (
        said
      ) : (
        <details>
          <summary>{said}</summary>
          <dl>
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name.replaceAll("_", " ")}</dt>
                <dd>{plain(value)}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </li>
  );
}

/** What goes on in a run, sentence by sentence. */
export default function Monitor({ run, onClose }: { run: RunState; onClose: () => void }) {
  const { notes, isLoading, error } = useNotes(run);
  const [hidden, setHidden] = useState<readonly NoteCategory[]>([]);
  const [most, setMost] = useState(3);
  const present = useMemo(
    () =>
      (Object.keys(categories) as NoteCategory[]).filter((category) =>
        notes.some((note) => note.category === category),
      ),
    [notes],
  );
  const highest = Math.max(1, ...notes.map((note) => note.level));
  const shown = notes.filter((note) => note.level <= most && !hidden.includes(note.category));
  const { box, atEnd, onScroll, toEnd } = useFollow(shown.length);
  return (
    <>
      <header className="monitor-head">
        <h2>{t("Process")}</h2>
        {highest > 1 && (
          <select
            className="input"
            aria-label={t("How much is shown")}
            value={Math.min(most, highest)}
            onChange={(event) => setMost(Number(event.target.value))}
          >
            {levels.slice(1, highest + 1).map((text, at) => (
              <option key={text} value={at + 1}>
                {t(text)}
              </option>
            ))}
          </select>
        )}
        <button
          type="button"
          className="icon-button"
          aria-label={t("Close the process log")}
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </header>
      {error && (
        <Notice tone="bad">
          {t("The log could not be loaded: {{message}}", { message: asProblem(error).message })}
        </Notice>
      )}
      <fieldset className="monitor-filter">
        <legend className="visually-hidden">{t("Kinds of entries")}</legend>
        {present.map((category) => (
          <button
            key={category}
            type="button"
            className={`chip note-${category}`}
            aria-pressed={!hidden.includes(category)}
            onClick={() =>
              setHidden(
                hidden.includes(category)
                  ? hidden.filter((one) => one !== category)
                  : [...hidden, category],
              )
            }
          >
            <span className="note-dot" aria-hidden="true" />
            {t(categories[category])}
          </button>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, and keys must reach it */}
      <ol ref={box} className="notes" tabIndex={0} aria-label={t("Entries")} onScroll={onScroll}>
        {shown.map((note, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries only ever come at the end
          <Entry key={at} note={note} />
        ))}
        {shown.length === 0 && (
          <li className="quiet">{isLoading ? t("Loading…") : t("Nothing of these kinds.")}</li>
        )}
      </ol>
      {!atEnd && (
        <button type="button" className="button monitor-newest" onClick={toEnd}>
          <Icon name="down" />
          {t("Newest")}
        </button>
      )}
    </>
  );
}
