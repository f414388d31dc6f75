import { useState } from "react";
import { api } from "../../api/client";
import { asProblem, type Problem } from "../../api/problem";
import { keys, queryClient, usePresets, useUser } from "../../api/queries";
import type { Config, Preset } from "../../api/types";
import { plural, shortName } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { chosen, sceneOf } from "../options/choices";
import { TextField } from "../settings/fields";
import { messagesAt } from "../settings/form";

const refresh = () => queryClient.invalidateQueries({ queryKey: keys.presets });

/** Who sits in it, who chairs it, and what it is asked with. */
function about(preset: Preset, config: Config): string {
  const scene = sceneOf({}, config, preset);
  const council = scene.config ?? config;
  const options = chosen(scene).map(({ text }) => text);
  return [
    plural(council.council_models.length, "member"),
    `chaired by ${shortName(council.chairman_alias || council.chairman_model)}`,
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
  const [busy, setBusy] = useState(false);
  const run = async (call: () => Promise<unknown>, done: string, failed: string) => {
    setBusy(true);
    try {
      await call();
      toast(done);
    } catch (error) {
      toast(`${failed}: ${asProblem(error).message}`, { tone: "bad" });
    } finally {
      setBusy(false);
      setAsked(null);
    }
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
          {preset.name} {preset.shared && <span className="badge">shared</span>}
        </span>
        <span className="model-id">{about(preset, config)}</span>
      </div>
      <button
        type="button"
        className="button"
        disabled={busy}
        aria-label={
          asked === "apply" ? `Drop the edits and apply ${preset.name}` : `Apply ${preset.name}`
        }
        onBlur={() => setAsked(null)}
        onClick={() => {
          if (unsaved && asked !== "apply") setAsked("apply");
          else run(apply, `“${preset.name}” is your council now.`, "Not applied");
        }}
      >
        {asked === "apply" ? "Drop edits and apply?" : "Apply"}
      </button>
      {mayDelete && (
        <button
          type="button"
          className={asked === "delete" ? "button button-danger" : "button"}
          disabled={busy}
          aria-label={`${asked === "delete" ? "Really delete" : "Delete"} ${preset.name}`}
          onBlur={() => setAsked(null)}
          onClick={() => {
            if (asked !== "delete") setAsked("delete");
            else run(remove, `“${preset.name}” was deleted.`, "Not deleted");
          }}
        >
          {asked === "delete" ? "Really delete?" : "Delete"}
        </button>
      )}
    </li>
  );
}

function SaveForm({ unsaved }: { unsaved: boolean }) {
  const user = useUser();
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const { preset, updated } = await api.savePreset(name.trim(), shared);
      setName("");
      toast(`“${preset.name}” was ${updated ? "replaced" : "saved"}.`);
      await refresh();
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <form
        className="token-form"
        aria-label="New preset"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label="Save the council in force as"
          hint={unsaved ? "The edits below are not in it until they are saved." : ""}
          value={name}
          placeholder="Thorough"
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
            For everybody
          </label>
        )}
        <button type="submit" className="button" disabled={busy || name.trim() === ""}>
          {busy ? "Saving…" : "Save preset"}
        </button>
      </form>
      {problem && messagesAt(problem.fields, "name").length === 0 && (
        <Notice tone="bad" urgent>
          Not saved: {problem.message}
        </Notice>
      )}
    </>
  );
}

/** Councils with their options, saved under names: to apply here, or to ask with at the composer. */
export function Presets(props: Props) {
  const presets = usePresets();
  return (
    <section className="panel" id="presets" aria-labelledby="presets-title">
      <h2 id="presets-title">Presets</h2>
      <p className="panel-lead">
        Councils with their options under a name. Apply one to make it yours, or pick it for one
        question where you ask.
      </p>
      {presets.isPending && <p className="quiet">Loading presets…</p>}
      {presets.isError && (
        <Notice tone="bad">Presets could not be read: {asProblem(presets.error).message}</Notice>
      )}
      {presets.data?.length === 0 && <p className="quiet">There are no presets yet.</p>}
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
