import { type FormEvent, useEffect, useRef, useState } from "react";
import { eraseMe } from "../../api/own-data";
import type { Problem } from "../../api/problem";
import { useUser } from "../../api/queries";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { TextField } from "../settings/fields";
import { showErased } from "./erased";

/** What goes, what becomes of what others use, and what stays. */
function WhatGoes() {
  return (
    <>
      <p>{t("This is deleted at once, and nobody can bring any of it back:")}</p>
      <ul>
        <li>
          {t(
            "your conversations with their files, and the links by which you share them; what is being answered is stopped",
          )}
        </li>
        <li>
          {t(
            "your scheduled questions, and your prompts and rubrics in the library, including those that others use",
          )}
        </li>
        <li>{t("your folders, settings, presets, tokens and webhooks")}</li>
      </ul>
      <p>
        {t(
          "You leave every project. One that nobody else owns goes to whoever has written in it for longest, and is deleted where nobody else can write in it. Files that you have put into a project stay there.",
        )}
      </p>
      <p>
        {t(
          "What you spent stays in this server’s totals, without your name. Copies that others have made of what you shared are theirs. What was sent to model providers cannot be deleted from here.",
        )}
      </p>
    </>
  );
}

/** Whether it is the word that is wrong. */
const isRefused = (problem: Problem | null) =>
  problem?.fields.some(({ field }) => field === "confirm") ?? false;

/** The typed word confirms the deletion; the server knows the user's name. */
function EraseForm({ name, onClose }: { name: string; onClose: () => void }) {
  const [word, setWord] = useState("");
  const form = useRef<HTMLFormElement>(null);
  const { busy, problem, attempt } = useAttempt();
  const isWrong = isRefused(problem);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  useEffect(() => {
    if (isRefused(problem)) form.current?.querySelector("input")?.focus();
  }, [problem]);
  const erase = (event: FormEvent) => {
    event.preventDefault();
    if (word.trim() !== "") attempt(() => eraseMe(word.trim(), showErased));
  };
  return (
    <form
      ref={form}
      className="erase-form"
      aria-label={t("Delete everything")}
      onSubmit={erase}
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <WhatGoes />
      <TextField
        label={t("To confirm, type your user name: {{name}}", { name })}
        value={word}
        errors={isWrong ? [t("That is not your name here.")] : []}
        onChange={setWord}
      />
      {problem && !isWrong && (
        <Notice tone="bad" urgent>
          {t("Not deleted: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <div className="erase-actions">
        <button type="button" className="button" onClick={onClose}>
          {t("Keep it")}
        </button>
        <button
          type="submit"
          className="button button-danger"
          aria-disabled={busy || word.trim() === ""}
        >
          {busy ? t("Deleting…") : t("Delete everything")}
        </button>
      </div>
    </form>
  );
}

/** The way to the end of everything; none while there is a hold. */
export function Erase({ held }: { held: boolean }) {
  const user = useUser().data;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    if (wasOpen.current && !open) button.current?.focus();
    wasOpen.current = open;
  }, [open]);
  if (open && user) {
    // As the sidebar says it; without a proxy there is only the one.
    return <EraseForm name={user.display_name ?? user.id} onClose={() => setOpen(false)} />;
  }
  return (
    <button
      ref={button}
      type="button"
      className="button button-danger"
      disabled={held || !user}
      onClick={() => setOpen(true)}
    >
      {t("Delete everything…")}
    </button>
  );
}
