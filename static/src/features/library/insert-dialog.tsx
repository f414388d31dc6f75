import "../../styles/confirm.css";
import "../../styles/settings.css";
import "../../styles/library.css";
import "../../styles/insert.css";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Link } from "wouter";
import { readEntry, useChoice } from "../../api/library";
import { asProblem } from "../../api/problem";
import { msg, t } from "../../i18n";
import { isForInputMethod } from "../../ui/composing";
import { Dialog } from "../../ui/dialog";
import { DialogHead } from "../../ui/dialog-head";
import { useModal } from "../../ui/modal";
import { Notice } from "../../ui/notice";
import { ReadFailed } from "../../ui/read-failed";
import { drafts } from "../composer/draft";
import { useSettled } from "../composer/settled";
import { variablesOf } from "./variables";
import { VariablesForm } from "./variables-form";

interface Prompt {
  name: string;
  text: string;
}

interface Props {
  /** Where what is typed is kept. */
  place: string | null;
  /** The prompt that was chosen already, by this beginning of what is typed; else one is chosen here. */
  chosen: (Prompt & { typed: string }) | null;
  /** Called once it is closed; `done` where the text is in the box. */
  onClose: (done: boolean) => void;
}

/**
 * Puts a text into the box: behind what is typed, or in the place of what only named the prompt. What was typed behind
 * the name, while the prompt was being read, stays behind the text.
 */
export function putInto(place: string | null, text: string, named: string | null) {
  const { content } = drafts.read(place);
  const isNamed = named !== null && content.startsWith(named);
  const before = isNamed ? "" : content.trimEnd();
  const since = isNamed ? content.slice(named.length).trim() : "";
  drafts.write(place, { content: [before, text, since].filter(Boolean).join("\n\n") });
}

/** Chooses a prompt of the library, asks for its variables, and puts it into the box. It never sends. */
export default function InsertDialog({ place, chosen, onClose }: Props) {
  const dialog = useModal();
  const id = useId();
  const [query, setQuery] = useState("");
  const list = useChoice("prompt", useSettled(query.trim(), 200, ""));
  // What is known already is looked through at once.
  const wanted = query.trim().toLowerCase();
  const entries = list.data?.filter(({ name }) => name.toLowerCase().includes(wanted)) ?? [];
  const [open, setOpen] = useState<Prompt | null>(chosen);
  const [failed, setFailed] = useState<string | null>(null);
  const [done, setDone] = useState(false);
  const put = (text: string) => {
    setDone(true);
    // First: only closing gives the focus back, and what stands in the box then may take this dialog along.
    dialog.current?.close();
    putInto(place, text, chosen?.typed ?? null);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: where another step begins
  useEffect(() => {
    dialog.current?.querySelector<HTMLElement>("input")?.focus();
  }, [open, dialog]);
  const choices = useRef(0);
  const choose = async (entry: string) => {
    choices.current += 1;
    const own = choices.current;
    // While it was read, another one may have been pressed, or the same again, or the dialog left.
    const isWanted = () => own === choices.current && dialog.current !== null;
    setFailed(null);
    try {
      const { name, text } = await readEntry(entry);
      if (!isWanted()) return;
      if (variablesOf(text).length === 0) put(text);
      else setOpen({ name, text });
    } catch (error) {
      if (isWanted()) setFailed(asProblem(error).message);
    }
  };
  /** The arrows go from the search to what it found, and through that; Enter in the search takes the first. */
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, target, nativeEvent, currentTarget } = event;
    if (isForInputMethod(nativeEvent) || event.ctrlKey || event.metaKey || event.altKey) return;
    const [first] = entries;
    if (key === "Enter" && target instanceof HTMLInputElement && wanted !== "" && first) {
      event.preventDefault();
      void choose(first.id);
    }
    const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
    if (step === 0) return;
    const stops = [...currentTarget.querySelectorAll<HTMLElement>("input, .insert-entry")];
    const at = target instanceof HTMLElement ? stops.indexOf(target) : -1;
    if (at < 0) return;
    event.preventDefault();
    stops[(at + step + stops.length) % stops.length]?.focus();
  };
  // Out of the form that asks.
  return createPortal(
    <Dialog
      dialog={dialog}
      className="confirm insert-dialog"
      aria-labelledby={id}
      onClose={() => onClose(done)}
    >
      <div className="confirm-body">
        <DialogHead dialog={dialog} id={id} title={open ? <bdi>{open.name}</bdi> : t("Prompts")} />
        {open ? (
          <VariablesForm key={open.text} text={open.text} onFilled={put} />
        ) : (
          // biome-ignore lint/a11y/noStaticElementInteractions: the keys are of what is in it
          <div className="insert-choice" onKeyDown={onKeyDown}>
            <input
              type="search"
              className="input"
              aria-label={t("Search by name")}
              placeholder={t("Search by name")}
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
            {failed && (
              <Notice tone="bad" urgent>
                {t("It could not be loaded: {{reason}}", { reason: failed })}
              </Notice>
            )}
            {list.isPending && <p className="quiet">{t("Loading…")}</p>}
            {list.isError && !list.data && (
              <ReadFailed text={msg("The library could not be loaded: {{reason}}")} query={list} />
            )}
            {list.data && entries.length === 0 && (
              <p className="quiet">
                {query.trim() === ""
                  ? t("There are no prompts yet.")
                  : t("Nothing here has that name.")}
              </p>
            )}
            <ul className="insert-list">
              {entries.map((entry) => (
                <li key={entry.id}>
                  <button type="button" className="insert-entry" onClick={() => choose(entry.id)}>
                    <span dir="auto" className="library-name">
                      {entry.name}
                    </span>
                    <span dir="auto" className="insert-beginning">
                      {entry.beginning}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
            <p>
              <Link href="/library">{t("Open the library")}</Link>
            </p>
          </div>
        )}
      </div>
    </Dialog>,
    document.body,
  );
}
