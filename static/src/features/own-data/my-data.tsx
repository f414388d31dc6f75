import "../../styles/own-data.css";
import { useEffect, useRef, useState } from "react";
import { eraseMe, exportHref, useOwnData } from "../../api/own-data";
import { useUser } from "../../api/queries";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { ReadFailed } from "../../ui/read-failed";
import { readForm } from "../../ui/wrong";
import { timeOf } from "../admin/times";
import { messagesAt, TextField } from "../settings/fields";
import { AccessFacts, Reads } from "./access-log";

/** The word shows that somebody means it. */
function Erase({ held }: { held: boolean }) {
  const user = useUser();
  const [open, setOpen] = useState(false);
  const [word, setWord] = useState("");
  const { busy, problem, attempt, form } = useAttempt();
  const way = useRef<HTMLButtonElement>(null);
  const id = user.data?.id ?? "";
  const erase = () =>
    attempt(async () => {
      const read = readForm();
      read.say("confirm", word.trim() === id ? null : t("This is not your user name."));
      read.insist();
      await eraseMe(id);
    });
  // The button that opens the form and the form take turns: what had the focus is gone.
  const wasOpen = useRef(open);
  useEffect(() => {
    if (wasOpen.current === open) return;
    wasOpen.current = open;
    if (open) form.current?.querySelector("input")?.focus();
    else way.current?.focus();
  }, [open, form]);
  if (!open) {
    return (
      <button
        ref={way}
        type="button"
        className="button button-danger"
        disabled={held || !user.data}
        onClick={() => setOpen(true)}
      >
        {t("Delete everything…")}
      </button>
    );
  }
  return (
    <form
      ref={form}
      className="erase-form"
      aria-label={t("Delete everything")}
      onSubmit={(event) => {
        event.preventDefault();
        erase();
      }}
      onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
    >
      <p>
        {t(
          "All your conversations, settings, presets, tokens and webhooks are deleted, runs under way are stopped, and nobody can bring any of it back. What was paid stays in the sums of this server, without your name. What was told to model providers is not here to be deleted.",
        )}
      </p>
      <TextField
        label={t("To confirm, type your user name: {{name}}", { name: id })}
        value={word}
        errors={messagesAt(problem?.fields ?? [], "confirm")}
        onChange={setWord}
      />
      {problem && problem.fields.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not deleted: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <div className="erase-actions">
        <button type="button" className="button" onClick={() => setOpen(false)}>
          {t("Keep it")}
        </button>
        <button
          type="submit"
          className="button button-danger"
          aria-disabled={busy || word.trim() !== id}
        >
          {busy ? t("Deleting…") : t("Delete everything")}
        </button>
      </div>
    </form>
  );
}

/** What is stored of the reader: a copy of it, its end, for how long it is kept, and who has looked. */
export default function MyData() {
  const data = useOwnData();
  return (
    <section className="panel own-data" id="own-data" aria-labelledby="own-data-title">
      <h2 id="own-data-title">{t("Your data")}</h2>
      <p className="panel-lead">
        {t(
          "Everything that this server stores about you, in one file: your conversations, for reading and for programs, your settings and costs.",
        )}
      </p>
      <p>
        <a className="button" href={exportHref} download>
          {t("Download everything")}
        </a>
      </p>
      {data.isError && !data.data && (
        <ReadFailed
          text={msg("What is known of your data could not be read: {{reason}}")}
          query={data}
        />
      )}
      {data.data?.held_since && (
        <Notice tone="warn">
          {t(
            "An administrator has placed a hold on your data on {{time}}: until it is lifted, nothing of it is deleted for good. Ask your administrator.",
            { time: timeOf(data.data.held_since) },
          )}
        </Notice>
      )}
      {data.data && (
        <>
          <p className="quiet">
            {data.data.retention_days
              ? t(
                  "Conversations in which nothing happens for {{count, number}} days are deleted for good; a week before, they say so.",
                  { count: data.data.retention_days },
                )
              : t("Conversations are kept until you delete them.")}{" "}
            {t("Where a project has a rule of its own, its page says so.")}
          </p>
          <h3>{t("Who has looked")}</h3>
          {data.data.access.length === 0 ? (
            <p className="quiet">
              {t(
                "Nobody. Administrators can read your conversations only if two of them agree, and you would see it here.",
              )}
            </p>
          ) : (
            <ul className="access-list">
              {data.data.access.map((access) => (
                <li key={access.id}>
                  <AccessFacts access={access} />
                  <Reads access={access} linked />
                </li>
              ))}
            </ul>
          )}
          <h3>{t("Delete everything")}</h3>
          <p className="quiet">
            {t("Your conversations, settings and everything else of yours, for good.")}
          </p>
          <Erase held={Boolean(data.data.held_since)} />
        </>
      )}
    </section>
  );
}
