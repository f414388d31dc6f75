import "../../styles/insert.css";
import { lazy, type RefObject, Suspense, useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { readEntry, useChoice } from "../../api/library";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { isForInputMethod } from "../../ui/composing";
import { orMissing } from "../../ui/part";
import { useSettled } from "../composer/settled";
import { variablesOf } from "./variables";

const InsertDialog = lazy(() => orMissing(import("./insert-dialog")));
const insert = () => import("./insert-dialog");

interface Props {
  place: string | null;
  box: RefObject<HTMLTextAreaElement | null>;
  /** What is typed: a slash, and the beginning of a name. */
  typed: string;
}

/** Prompts whose names have what is typed behind a slash: the arrows choose, Enter and Tab take, Escape leaves the text alone. */
export default function Suggest({ place, box, typed }: Props) {
  const id = useId();
  const name = typed.slice(1).toLowerCase();
  const settled = useSettled(name, 150, "");
  const found = useChoice("prompt", settled);
  // What is known already is looked through at once.
  const entries = found.data?.filter((one) => one.name.toLowerCase().includes(name)) ?? [];
  // Not before it is known: what was found for the letters before stands in until then.
  const isKnown = found.isSuccess && !found.isPlaceholderData && settled === name;
  const [at, setAt] = useState(0);
  // Only after keys: a reader with a pointer sees what they point at.
  const [moves, setMoves] = useState(0);
  const [left, setLeft] = useState<string | null>(null);
  const [open, setOpen] = useState<{ name: string; text: string; typed: string } | null>(null);
  const shown = left === typed || open ? [] : entries;
  const active = shown[Math.min(at, shown.length - 1)];
  const nothing = isKnown && entries.length === 0 && !open;

  const isTaking = useRef(false);
  const take = async (entry: string) => {
    // Pressed again while it is read, it is the same.
    if (isTaking.current) return;
    isTaking.current = true;
    try {
      const { name, text } = await readEntry(entry);
      if (variablesOf(text).length > 0) return setOpen({ name, text, typed });
      const { putInto } = await insert();
      putInto(place, text, typed);
      box.current?.focus();
    } catch (error) {
      complain(msg("The prompt could not be loaded: {{message}}"))(error);
    } finally {
      isTaking.current = false;
    }
  };

  const now = useRef({ shown, active, at, take, typed });
  now.current = { shown, active, at, take, typed };

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    // On the box itself, and so before what the composer makes of the same keys.
    const onKey = (event: KeyboardEvent) => {
      const { shown, active, at, take, typed } = now.current;
      if (shown.length === 0 || isForInputMethod(event)) return;
      const last = shown.length - 1;
      const from = Math.min(at, last);
      const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!plain) return;
      const go = (to: number) => {
        setAt(to);
        setMoves((before) => before + 1);
      };
      if (event.key === "ArrowDown") go(from === last ? 0 : from + 1);
      else if (event.key === "ArrowUp") go(from === 0 ? last : from - 1);
      else if (event.key === "Escape") setLeft(typed);
      else if ((event.key === "Enter" || event.key === "Tab") && active) void take(active.id);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    element.addEventListener("keydown", onKey);
    return () => element.removeEventListener("keydown", onKey);
  }, [box]);

  const activeId = active ? `${id}-${active.id}` : null;
  useEffect(() => {
    if (moves > 0 && activeId)
      document.getElementById(activeId)?.scrollIntoView({ block: "nearest" });
  }, [moves, activeId]);

  // The box is the composer's; what it has to say of this list comes and goes with the list.
  useEffect(() => {
    const element = box.current;
    if (!element || !activeId) return;
    element.setAttribute("aria-autocomplete", "list");
    element.setAttribute("aria-controls", id);
    element.setAttribute("aria-activedescendant", activeId);
    return () => {
      for (const name of ["aria-autocomplete", "aria-controls", "aria-activedescendant"]) {
        element.removeAttribute(name);
      }
    };
  }, [box, id, activeId]);

  return (
    <>
      {shown.length > 0 && (
        // A tab stop, because it scrolls: the keys of the box are for choosing.
        <div id={id} role="listbox" tabIndex={0} aria-label={t("Prompts")} className="suggest">
          {shown.map((entry) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box has the focus and takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            <div
              key={entry.id}
              id={`${id}-${entry.id}`}
              role="option"
              aria-selected={entry === active}
              className={entry === active ? "suggested suggested-active" : "suggested"}
              // The box keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(entry.id)}
            >
              <span dir="auto" className="suggested-name">
                {entry.name}
              </span>
              <span dir="auto" className="insert-beginning">
                {entry.beginning}
              </span>
            </div>
          ))}
        </div>
      )}
      <p className={nothing ? "suggest-nothing" : "visually-hidden"}>
        <span role="status">
          {nothing && (name === "" ? t("There are no prompts yet.") : t("No prompt matches."))}
          {shown.length > 0 &&
            t("{{count, number}} prompts. The arrows choose, Enter takes one.", {
              count: shown.length,
            })}
        </span>
        {nothing && (
          <>
            {" "}
            <Link href="/library">{t("Open the library")}</Link>
          </>
        )}
      </p>
      {open && (
        <Suspense fallback={null}>
          <InsertDialog
            place={place}
            chosen={open}
            onClose={() => {
              setOpen(null);
              setLeft(typed);
              box.current?.focus();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
