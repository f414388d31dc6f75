import { useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { addEntry, type Content, changeEntry, type Entry, type Kind } from "../../api/library";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { count } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { CheckField, Errors, messagesAt, TextField } from "../settings/fields";
import { Leaving } from "../settings/leaving";
import { variablesOf } from "./variables";
import { hints, limits } from "./words";

interface Props {
  kind: Kind;
  /** What it says; null for one that is not there yet. */
  entry: Entry | null;
  /** What a new one begins with. */
  begins?: Content;
  /** Reads it anew, over what was typed. */
  onReload?: () => void;
}

const nothing: Content = { name: "", text: "", shared: false };
const same = (one: Content, other: Content) =>
  one.name === other.name && one.text === other.text && one.shared === other.shared;

/** Name, text and whether it is shared: of a new entry, or of one of the reader's. */
export function Editor({ kind, entry, begins = nothing, onReload }: Props) {
  const [, go] = useLocation();
  // What is changed is what was read: somebody else may change it meanwhile.
  const [read, setRead] = useState(entry);
  const said: Content = read ?? nothing;
  const [draft, setDraft] = useState<Content>(entry ?? begins);
  const { busy, problem, attempt } = useAttempt();
  const made = useRef<Entry | null>(null);
  const id = useId();
  const errors = problem?.fields ?? [];
  const wrongText = messagesAt(errors, "text");
  const isNew = entry === null;
  const isChanged = !same(draft, said);
  const canSave = isChanged && draft.name.trim() !== "" && draft.text.trim() !== "";
  const variables = kind === "prompt" ? variablesOf(draft.text) : [];
  const most = limits[kind];
  // The server counts characters, not UTF-16 units; only long texts are worth the difference.
  const length = draft.text.length > most * 0.9 ? [...draft.text].length : 0;

  const save = async (): Promise<boolean> => {
    if (!canSave) return false;
    return attempt(async () => {
      const { name, text, shared } = draft;
      const content = { name, text, shared };
      const now = read
        ? await changeEntry(read.id, read.version, content)
        : await addEntry(kind, content);
      if (!read) made.current = now;
      setRead(now);
      setDraft(now);
      toast(t("“{{name}}” was saved.", { name: now.name }));
    });
  };
  const submit = async () => {
    await save();
    if (made.current) go(`/library/${made.current.id}`, { replace: true });
  };

  return (
    <form
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
      {problem && errors.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
          {problem.status === 409 && onReload && (
            <>
              {" "}
              <button type="button" className="quiet-button" onClick={onReload}>
                {t("Show what it says now, without my changes")}
              </button>
            </>
          )}
        </Notice>
      )}
      <button type="submit" className="button button-main" aria-disabled={busy || !canSave}>
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
