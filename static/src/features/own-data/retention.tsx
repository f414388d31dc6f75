import { useState } from "react";
import { chooseRetention, useRetention } from "../../api/peoples-data";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { numberText } from "../../ui/numbers";
import { toast } from "../../ui/toast";
import { readForm } from "../../ui/wrong";
import { Answered, Panel } from "../dashboard/panel";
import { messagesAt, TextField } from "../settings/fields";

interface FormProps {
  name: string;
  /** What is chosen; null where something else counts. */
  days: number | null;
  /** What 0 and an empty box mean. */
  hint: string;
  choose: (days: number | null) => Promise<unknown>;
}

/** The longest that the server takes. */
const mostDays = 36_500;

/** After how many days. */
export function DaysForm({ name, days, hint, choose }: FormProps) {
  // What is in force, until somebody types: another administrator may choose, too.
  const [edited, setEdited] = useState<string | null>(null);
  const typed = edited ?? (days === null ? "" : numberText(days));
  const { busy, problem, attempt, form } = useAttempt();
  const save = () =>
    attempt(async () => {
      const read = readForm();
      const wanted = read.maybeNumber("days", typed, { least: 0, most: mostDays, whole: true });
      read.insist();
      await choose(wanted);
      // What was typed since then is an edit still.
      setEdited((now) => (now === edited ? null : now));
      toast(t("The retention rule was saved."));
    });
  return (
    <form
      ref={form}
      className="own-data-form"
      aria-label={name}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextField
        label={t("Days without activity")}
        hint={hint}
        numeric
        value={typed}
        errors={messagesAt(problem?.fields ?? [], "days")}
        onChange={setEdited}
      />
      {problem && problem.fields.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <button type="submit" className="button" aria-disabled={busy}>
        {busy ? t("Saving…") : t("Save")}
      </button>
    </form>
  );
}

/** The rule for all. */
export function Retention() {
  const rule = useRetention();
  return (
    <Panel
      title={t("How long conversations are kept")}
      lead={t(
        "Conversations in which nothing happens for this many days are deleted for good. People read of it in their settings, and a week before on the conversation; a new rule deletes nothing in its first week.",
      )}
    >
      <Answered query={rule} failed={msg("The rule could not be loaded: {{reason}}")} lines={2}>
        {(data) => (
          <>
            <p>
              {data.days > 0
                ? t("In force: {{count, number}} days", { count: data.days })
                : t("In force: conversations are kept until their authors delete them.")}
            </p>
            <DaysForm
              name={t("How long conversations are kept")}
              days={data.chosen_days ?? null}
              hint={t(
                "0 keeps them until their authors delete them; empty follows the configuration ({{days}}).",
                { days: String(data.configured_days) },
              )}
              choose={chooseRetention}
            />
          </>
        )}
      </Answered>
    </Panel>
  );
}
