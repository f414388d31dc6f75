import "../../styles/form-dialog.css";
import { useId, useState } from "react";
import { changeProject, type Project } from "../../api/projects";
import { usePresets } from "../../api/queries";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { shortName } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { readForm, textProblem } from "../../ui/wrong";
import { LongTextField, messagesAt, TextField } from "../settings/fields";

/** What the server takes, in characters. */
const lengths = { name: 100, instructions: 20_000 };

/** Chosen where the project goes on with what it has. */
const asItIs = "";
/** Chosen where it is to ask everybody's own council. */
const ownCouncils = "own";

/** What a project asks with in the place of everybody's own settings, in a few words. */
export function councilOf({ settings, options }: Pick<Project, "settings" | "options">): string {
  const { council_models: members, chairman_model: chairman } = settings;
  const facts = [
    members ? members.map(({ alias, model }) => shortName(alias ?? model)).join(", ") : null,
    chairman ? t("chaired by {{name}}", { name: shortName(chairman) }) : null,
    Object.keys(options).length > 0
      ? t("{{count, number}} options", { count: Object.keys(options).length })
      : null,
  ].filter((fact) => fact !== null);
  return facts.length > 0 ? facts.join(" · ") : t("everybody’s own council");
}

/** The name, the instructions and the council of a project, for its owners. */
export function SettingsForm({ project }: { project: Project }) {
  const presets = usePresets();
  const select = useId();
  const [name, setName] = useState(project.name);
  const [instructions, setInstructions] = useState(project.instructions);
  const [council, setCouncil] = useState(asItIs);
  const { busy, problem, attempt, form } = useAttempt();
  const errors = problem?.fields ?? [];
  const ofCouncil = errors.filter(({ field }) => /^(settings|options)\b/.test(field));
  const preset = presets.data?.find(({ id }) => id === council);
  const save = async () => {
    const { settings, options } = preset ?? { settings: {}, options: {} };
    await attempt(async () => {
      const read = readForm();
      const called = read.line("name", name, lengths.name);
      if (instructions.trim() !== "") {
        read.say("instructions", textProblem(instructions, lengths.instructions));
      }
      read.insist();
      await changeProject(project.id, {
        name: called,
        instructions,
        ...(council === asItIs ? {} : { settings, options }),
      });
      setCouncil(asItIs);
      toast(t("The project was saved."));
    });
  };
  return (
    <form
      ref={form}
      className="short-form"
      aria-label={t("Project settings")}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextField
        label={t("Name")}
        value={name}
        errors={messagesAt(errors, "name")}
        onChange={setName}
      />
      <LongTextField
        label={t("Instructions")}
        hint={t(
          "Every model is told this before each question in the project: what it is about, for whom, in which style.",
        )}
        value={instructions}
        errors={messagesAt(errors, "instructions")}
        onChange={setInstructions}
      />
      <div className="field">
        <label htmlFor={select}>{t("Council")}</label>
        <select
          id={select}
          className="input"
          value={council}
          aria-describedby={`${select}-hint`}
          onChange={(event) => setCouncil(event.target.value)}
        >
          <option value={asItIs}>
            {t("As it is: {{council}}", { council: councilOf(project) })}
          </option>
          <option value={ownCouncils}>{t("Everybody’s own council")}</option>
          {presets.data?.map(({ id, name }) => (
            <option key={id} value={id}>
              {t("Of the preset {{preset}}", { preset: name })}
            </option>
          ))}
        </select>
        <span id={`${select}-hint`} className="field-hint">
          {t("What a preset has is copied; later changes of the preset change nothing here.")}
        </span>
      </div>
      {problem && (errors.length === 0 || ofCouncil.length > 0) && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", {
            message: ofCouncil[0]
              ? `${ofCouncil[0].field}: ${ofCouncil[0].message}`
              : problem.message,
          })}
        </Notice>
      )}
      <button type="submit" className="button button-main" aria-disabled={busy}>
        {busy ? t("Saving…") : t("Save")}
      </button>
    </form>
  );
}
