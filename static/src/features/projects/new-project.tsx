import { useState } from "react";
import { useLocation } from "wouter";
import { makeProject } from "../../api/projects";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { FormDialog } from "../../ui/form-dialog";
import { Notice } from "../../ui/notice";
import { readForm } from "../../ui/wrong";
import { messagesAt, TextField } from "../settings/fields";

/** The longest name, in characters. */
const nameLength = 100;

/** Asks for a name, makes the project, and leads there. */
export default function NewProject({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: () => void;
}) {
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const { busy, problem, attempt, form } = useAttempt();
  const errors = messagesAt(problem?.fields ?? [], "name");
  const make = async () => {
    await attempt(async () => {
      const read = readForm();
      const called = read.name("name", name, nameLength);
      read.insist();
      const { id } = await makeProject({ name: called });
      onMade();
      go(`/p/${id}`);
    });
  };
  return (
    <FormDialog title={t("New project")} onClose={onClose}>
      <p>
        {t(
          "A project is a place for the conversations of a team: whoever is in it reads them, and what you tell it counts for every question.",
        )}
      </p>
      <form
        ref={form}
        className="short-form"
        aria-label={t("New project")}
        onSubmit={(event) => {
          event.preventDefault();
          make();
        }}
      >
        <TextField label={t("Name")} value={name} errors={errors} onChange={setName} />
        {problem && errors.length === 0 && (
          <Notice tone="bad" urgent>
            {t("Not created: {{reason}}", { reason: problem.message })}
          </Notice>
        )}
        <button type="submit" className="button button-main" aria-disabled={busy}>
          {busy ? t("Creating…") : t("Create project")}
        </button>
      </form>
    </FormDialog>
  );
}
