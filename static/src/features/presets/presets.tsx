import { useState } from "react";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { keys, queryClient, usePresets, useUser } from "../../api/queries";
import type { Config, Preset } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { shortName } from "../../ui/format";
import { useKeptFocus } from "../../ui/kept-focus";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { readForm } from "../../ui/wrong";
import { chosen, sceneOf } from "../options/choices";
import { messagesAt, TextField } from "../settings/fields";

/** The longest name, in characters. */
const nameLength = 100;

const refresh = () => queryClient.invalidateQueries({ queryKey: keys.presets });

/** Who sits in it, who chairs it, and what it is asked with. */
function about(preset: Preset, config: Config): string {
  const scene = sceneOf({}, config, preset);
  const council = scene.config ?? config;
  const options = chosen(scene).map(({ text }) => text);
  return [
    t("{{count, number}} members", { count: council.council_models.length }),
    t("chaired by {{name}}", { name: shortName(council.chairman_alias || council.chairman_model) }),
    ...options,
  ].join(" · ");
}

interface Props {
  config: Config;
  /** Whether the form has edits that applying a preset would throw away. */
  unsaved: boolean;
  onApplied: () => void;
}

function Row({ preset, config, unsaved, onApplied }: Props & { preset: Preset }) {
  const user = useUser();
  const [asked, setAsked] = useState<"apply" | "delete" | null>(null);
  const { busy, attempt } = useAttempt();
  const { name } = preset;
  const run = async (call: () => Promise<unknown>, done: string, failed: string) => {
    if (await attempt(call, failed)) toast(t(done, { name }));
    setAsked(null);
  };
  const apply = async () => {
    queryClient.setQueryData(keys.config, await api.applyPreset(preset.id));
    onApplied();
  };
  const remove = async () => {
    await api.removePreset(preset.id);
    await refresh();
  };
  const mayDelete = !preset.shared || user.data?.is_admin;
  return (
    <li>
      <div className="answer-who">
        <span className="member-name">
          {name} {preset.shared && <span className="badge">{t("shared")}</span>}
        </span>
        <span className="model-id">{about(preset, config)}</span>
      </div>
      <button
        type="button"
        className="button"
        aria-disabled={busy}
        aria-label={
          asked === "apply"
            ? t("Discard the edits and apply {{name}}", { name })
            : t("Apply {{name}}", { name })
        }
        onBlur={() => setAsked(null)}
        onClick={() => {
          if (unsaved && asked !== "apply") setAsked("apply");
          else run(apply, msg("“{{name}}” is your council now."), msg("Not applied: {{message}}"));
        }}
      >
        {asked === "apply" ? t("Discard edits and apply?") : t("Apply")}
      </button>
      {mayDelete && (
        <button
          type="button"
          className={asked === "delete" ? "button button-danger" : "button"}
          aria-disabled={busy}
          aria-label={
            asked === "delete"
              ? t("Really delete {{name}}", { name })
              : t("Delete {{name}}", { name })
          }
          onBlur={() => setAsked(null)}
          onClick={() => {
            if (asked !== "delete") setAsked("delete");
            else run(remove, msg("“{{name}}” was deleted."), msg("Not deleted: {{message}}"));
          }}
        >
          {asked === "delete" ? t("Really delete?") : t("Delete")}
        </button>
      )}
    </li>
  );
}

function SaveForm({ unsaved }: { unsaved: boolean }) {
  const user = useUser();
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const { busy, problem, attempt, form } = useAttempt();
  const save = () =>
    attempt(async () => {
      const read = readForm();
      const called = read.line("name", name, nameLength);
      read.insist();
      const { preset, updated } = await api.savePreset(called, shared);
      setName("");
      const done = updated ? msg("“{{name}}” was replaced.") : msg("“{{name}}” was saved.");
      toast(t(done, { name: preset.name }));
      await refresh();
    });
  return (
    <>
      <form
        ref={form}
        className="token-form"
        aria-label={t("New preset")}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label={t("Save the current council as")}
          hint={unsaved ? t("It will not include the edits below until they are saved.") : ""}
          value={name}
          placeholder={t("Thorough")}
          errors={messagesAt(problem?.fields ?? [], "name")}
          onChange={setName}
        />
        {user.data?.is_admin && (
          <label className="preset-shared">
            <input
              type="checkbox"
              checked={shared}
              onChange={(event) => setShared(event.target.checked)}
            />
            {t("For everybody")}
          </label>
        )}
        <button type="submit" className="button" aria-disabled={busy}>
          {busy ? t("Saving…") : t("Save preset")}
        </button>
      </form>
      {problem && messagesAt(problem.fields, "name").length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
        </Notice>
      )}
    </>
  );
}

/** Councils with their options, saved under names: to apply here, or to ask with at the composer. */
export function Presets(props: Props) {
  const presets = usePresets();
  const kept = useKeptFocus<HTMLElement>();
  return (
    <section {...kept} className="panel" id="presets" aria-labelledby="presets-title">
      <h2 id="presets-title">{t("Presets")}</h2>
      <p className="panel-lead">
        {t(
          "Councils with their options under a name. Apply one to make it yours, or pick it for one question where you ask.",
        )}
      </p>
      {presets.isPending && <p className="quiet">{t("Loading presets…")}</p>}
      {presets.isError && (
        <Notice tone="bad">
          {t("Presets could not be read: {{message}}", {
            message: asProblem(presets.error).message,
          })}
        </Notice>
      )}
      {presets.data?.length === 0 && <p className="quiet">{t("There are no presets yet.")}</p>}
      {presets.data && presets.data.length > 0 && (
        <ul className="tokens presets">
          {presets.data.map((preset) => (
            <Row key={preset.id} preset={preset} {...props} />
          ))}
        </ul>
      )}
      <SaveForm unsaved={props.unsaved} />
    </section>
  );
}
