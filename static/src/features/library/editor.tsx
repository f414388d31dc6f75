import { useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import {
  addEntry,
  type Content,
  changeEntry,
  type Entry,
  type Kind,
  readEntry,
} from "../../api/library";
import { asProblem } from "../../api/problem";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { count } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { readForm, textProblem } from "../../ui/wrong";
import { CheckField, Errors, messagesAt, TextField } from "../settings/fields";
import { Leaving } from "../settings/leaving";
import { Conflict } from "./conflict";
import { variablesOf } from "./variables";
import { hints, limits, nameLength } from "./words";

interface Props {
  kind: Kind;
  /** What it says; null for one that is not there yet. */
  entry: Entry | null;
  /** What a new one begins with. */
  begins?: Content | undefined;
  /** What it says since an earlier version was brought back. */
  restored?: Entry | null;
  /** Told of a new one once it is saved. */
  onMade?: ((entry: Entry) => void) | undefined;
  /** Told whether there is something typed that is not saved. */
  onEdits?: (edited: boolean) => void;
}

const nothing: Content = { name: "", text: "", shared: false };
const same = (one: Content, other: Content) =>
  one.name === other.name && one.text === other.text && one.shared === other.shared;

/** Name, text and whether it is shared: of a new entry, or of one of the reader's. */
export function Editor(props: Props) {
  const { kind, entry, begins = nothing, restored = null, onMade, onEdits } = props;
  const [, go] = useLocation();
  // What is changed is what was read: another user may change it in the meantime.
  const [read, setRead] = useState(entry);
  const said: Content = read ?? nothing;
  const [draft, setDraft] = useState<Content>(entry ?? begins);
  // Another version, which was saved since then.
  const [newer, setNewer] = useState<Entry | null>(null);
  const { busy, problem, attempt, form } = useAttempt();
  const made = useRef<Entry | null>(null);
  const id = useId();
  const errors = problem?.fields ?? [];
  const wrongText = messagesAt(errors, "text");
  const isNew = entry === null;
  const isChanged = !same(draft, said);
  useEffect(() => onEdits?.(isChanged), [onEdits, isChanged]);
  // Of a new one there is always something to say: at least what is missing.
  const isIdle = !isNew && !isChanged;
  const variables = kind === "prompt" ? variablesOf(draft.text) : [];
  const most = limits[kind];
  // The server counts characters, not UTF-16 units; only long texts are worth the difference.
  const length = draft.text.length > most * 0.9 ? [...draft.text].length : 0;

  /** Saves it over the version that was read. */
  const saveOver = (over: Entry | null) =>
    attempt(async () => {
      const fields = readForm();
      fields.name("name", draft.name, nameLength);
      fields.say("text", textProblem(draft.text, most));
      fields.insist();
      const { name, text, shared } = draft;
      const content = { name, text, shared };
      try {
        const now = over
          ? await changeEntry(over.id, over.version, content)
          : await addEntry(kind, content);
        if (!over) {
          made.current = now;
          onMade?.(now);
        }
        // What had the focus goes with what it says now.
        if (newer) form.current?.querySelector<HTMLElement>("[type=submit]")?.focus();
        setNewer(null);
        setRead(now);
        // What was typed since then is a change still.
        setDraft((typed) => (typed === draft ? now : typed));
        toast(t("“{{name}}” was saved.", { name: now.name }));
      } catch (error) {
        if (over && asProblem(error).status === 409) setNewer(await readEntry(over.id));
        throw error;
      }
    });
  const save = async (): Promise<boolean> => !isIdle && saveOver(newer ?? read);
  const goOnWith = (now: Entry) => {
    const mine = draft;
    setNewer(null);
    setRead(now);
    setDraft(now);
    // What was wrong is no longer there.
    void attempt(async () => undefined);
    if (!isChanged) return;
    toast(t("What you wrote was put away."), {
      action: { label: t("Undo"), run: () => setDraft(mine) },
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each that is brought back
  useEffect(() => {
    if (restored) goOnWith(restored);
  }, [restored]);
  const submit = async () => {
    const here = location.pathname;
    await save();
    // A reader who has gone to another page by then stays there.
    if (made.current && location.pathname === here)
      go(`/library/${made.current.id}`, { replace: true });
  };

  return (
    <form
      ref={form}
      className="library-form"
      aria-label={isNew ? t("New entry") : t("Change it")}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField
        label={t("Name")}
        value={draft.name}
        errors={messagesAt(errors, "name")}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <div className="field">
        <label htmlFor={`${id}-text`}>{kind === "prompt" ? t("Text") : t("Criteria")}</label>
        <textarea
          id={`${id}-text`}
          className="input"
          rows={9}
          dir="auto"
          value={draft.text}
          aria-invalid={wrongText.length > 0 || length > most}
          aria-describedby={`${id}-hint ${id}-error`}
          onChange={(event) => setDraft({ ...draft, text: event.target.value })}
        />
        <span id={`${id}-hint`} className="field-hint">
          {t(hints[kind], { example: "{{team}}" })}
          {variables.length > 0 && (
            <> {t("It asks for: {{names}}.", { names: variables.join(", ") })}</>
          )}
        </span>
        <Errors id={`${id}-error`} messages={wrongText} />
        {length > 0 && (
          <span className={length > most ? "counter counter-over" : "counter"}>
            {t("{{length}} of {{limit}} characters", {
              length: count(length),
              limit: count(most),
            })}
          </span>
        )}
      </div>
      <CheckField
        label={t("Share it with everybody")}
        hint={t(
          "Everybody on this server can read and use it, under your user name. Only you change it.",
        )}
        checked={draft.shared}
        onChange={(shared) => setDraft({ ...draft, shared })}
      />
      {newer && (
        <Conflict
          now={newer}
          mine={draft}
          busy={busy}
          onSaveMine={() => saveOver(newer)}
          onTakeIt={() => {
            goOnWith(newer);
            form.current?.querySelector("textarea")?.focus();
          }}
        />
      )}
      {problem && errors.length === 0 && !(read && problem.status === 409) && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <button type="submit" className="button button-main" aria-disabled={busy || isIdle}>
        {busy ? t("Saving…") : t("Save")}
      </button>
      <Leaving
        active={isChanged && !busy}
        save={save}
        discard={() => setDraft(said)}
        text={t("What you wrote here is not saved yet.")}
      />
    </form>
  );
}
