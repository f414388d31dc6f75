import "../../styles/form-dialog.css";
import { useEffect, useId, useState } from "react";
import { changeProject, type Project } from "../../api/projects";
import { usePresets } from "../../api/queries";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { shortName } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { readForm, textProblem } from "../../ui/wrong";
import { LongTextField, messagesAt, TextField } from "../settings/fields";
import { Leaving } from "../settings/leaving";

/** What the server takes, in characters. */
const lengths = { name: 100, instructions: 20_000 };

/** Chosen where the project goes on with what it has. */
const asItIs = "";
/** Chosen where it is to ask everybody's own council. */
const ownCouncils = "own";

interface Draft {
  name: string;
  instructions: string;
  council: string;
}

const draftOf = ({ name, instructions }: Project): Draft => ({
  name,
  instructions,
  council: asItIs,
});

const isSame = (one: Draft, other: Draft) =>
  one.name === other.name &&
  one.instructions === other.instructions &&
  one.council === other.council;

/** What is typed, above what the project says: another owner may change what nobody has touched here. */
function useDraft(project: Project) {
  const [{ draft, base }, setState] = useState(() => {
    const begun = draftOf(project);
    return { draft: begun, base: begun };
  });
  const now = draftOf(project);
  if (!isSame(now, base)) {
    const follow = (field: keyof Draft) =>
      draft[field] === base[field] ? now[field] : draft[field];
    setState({
      base: now,
      draft: {
        name: follow("name"),
        instructions: follow("instructions"),
        council: draft.council,
      },
    });
  }
  return {
    draft,
    isChanged: !isSame(draft, base),
    change: (patch: Partial<Draft>) =>
      setState((old) => ({ ...old, draft: { ...old.draft, ...patch } })),
    discard: () => setState((old) => ({ ...old, draft: old.base })),
    /** `sent` was saved as `saved`: only what was typed since then is an edit still. */
    settle: (sent: Draft, saved: Project) =>
      setState((old) => ({
        base: draftOf(saved),
        draft: isSame(old.draft, sent) ? draftOf(saved) : { ...old.draft, council: asItIs },
      })),
  };
}

type Asked = Pick<Project, "settings" | "options">;

/** Whether the project asks with anything of its own. */
export const hasOwnCouncil = ({ settings, options }: Asked) =>
  Object.keys(options).length > 0 ||
  Object.values(settings).some((value) => (value ?? null) !== null);

/** What such a project asks with in the place of everybody's own settings, in a few words. */
export function councilOf({ settings, options }: Asked): string {
  const { council_models: members, chairman_model: chairman } = settings;
  const facts = [
    members ? members.map(({ alias, model }) => shortName(alias ?? model)).join(", ") : null,
    chairman ? t("chaired by {{name}}", { name: shortName(chairman) }) : null,
    Object.keys(options).length > 0
      ? t("{{count, number}} options", { count: Object.keys(options).length })
      : null,
  ].filter((fact) => fact !== null);
  return facts.length > 0 ? facts.join(" · ") : t("everybody’s own council, with other settings");
}

interface Props {
  project: Project;
  /** The reader is leaving it for good, or ends it: nothing that was typed here is worth a question. */
  ending: boolean;
  /** Told whether there is something typed that is not saved. */
  onEdits?: (edited: boolean) => void;
}

/** The name, the instructions and the council of a project, for its owners. */
export function SettingsForm({ project, ending, onEdits }: Props) {
  const presets = usePresets();
  const select = useId();
  const { draft, isChanged, change, discard, settle } = useDraft(project);
  useEffect(() => onEdits?.(isChanged), [onEdits, isChanged]);
  const { busy, problem, attempt, form } = useAttempt();
  const errors = problem?.fields ?? [];
  const ofCouncil = errors.filter(({ field }) => /^(settings|options)\b/.test(field));
  const preset = presets.data?.find(({ id }) => id === draft.council);
  /** Whether it was done. */
  const save = () => {
    const { settings, options } = preset ?? { settings: {}, options: {} };
    const { name, instructions, council } = draft;
    return attempt(async () => {
      const read = readForm();
      const called = read.name("name", name, lengths.name);
      if (instructions.trim() !== "") {
        read.say("instructions", textProblem(instructions, lengths.instructions));
      }
      read.insist();
      const saved = await changeProject(project.id, {
        name: called,
        instructions,
        ...(council === asItIs ? {} : { settings, options }),
      });
      settle(draft, saved);
      toast(t("The project was saved."));
    });
  };
  const ownCouncil = t("Everybody’s own council");
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
        value={draft.name}
        errors={messagesAt(errors, "name")}
        onChange={(name) => change({ name })}
      />
      <LongTextField
        label={t("Instructions")}
        hint={t(
          "Every model is told this before each question in the project: what it is about, for whom, in which style.",
        )}
        value={draft.instructions}
        errors={messagesAt(errors, "instructions")}
        onChange={(instructions) => change({ instructions })}
      />
      <div className="field">
        <label htmlFor={select}>{t("Council")}</label>
        <select
          id={select}
          className="input"
          value={draft.council}
          aria-describedby={`${select}-hint`}
          onChange={(event) => change({ council: event.target.value })}
        >
          {hasOwnCouncil(project) ? (
            <>
              <option value={asItIs}>
                {t("As it is: {{council}}", { council: councilOf(project) })}
              </option>
              <option value={ownCouncils}>{ownCouncil}</option>
            </>
          ) : (
            <option value={asItIs}>{ownCouncil}</option>
          )}
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
      <Leaving
        active={isChanged && !busy && !ending}
        save={save}
        discard={discard}
        text={t("What you wrote here is not saved yet.")}
      />
    </form>
  );
}
