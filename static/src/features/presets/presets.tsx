import { useState } from "react";
import { api } from "../../api/client";
import { asProblem } from "../../api/problem";
import { keys, queryClient, usePresets, useUser } from "../../api/queries";
import type { Config, Preset } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { complain } from "../../ui/complain";
import { Confirm } from "../../ui/confirm";
import { shortName } from "../../ui/format";
import { useKeptFocus } from "../../ui/kept-focus";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { readForm } from "../../ui/wrong";
import { chosen, sceneOf } from "../options/choices";
import { messagesAt, TextField } from "../settings/fields";
import { changeOf, draftOf, isChanged } from "../settings/form";

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

/** From now on the page shows these settings; what was asked for before would bring what held then. */
async function show(now: Config) {
  await queryClient.cancelQueries({ queryKey: keys.config });
  queryClient.setQueryData(keys.config, now);
}

/** The council that was there before the one of a preset took its place. */
async function bringBack(before: Config, applied: Config) {
  const now = queryClient.getQueryData<Config>(keys.config);
  if (now && isChanged(draftOf(now), draftOf(applied))) {
    // What was saved since would be lost.
    toast(t("Not restored: the council was changed since."), { tone: "bad" });
    return;
  }
  const region = before.region === applied.region ? null : before.region;
  try {
    const saved = before.is_default
      ? await api.resetConfig()
      : await api.saveConfig({ ...changeOf(draftOf(before)), ...(region && { region }) });
    await show(saved);
  } catch (error) {
    complain(msg("Not restored: {{message}}"))(error);
  }
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
  const apply = () =>
    attempt(async () => {
      const applied = await api.applyPreset(preset.id);
      await show(applied);
      onApplied();
      toast(t("“{{name}}” is your council now.", { name }), {
        action: { label: t("Undo"), run: () => bringBack(config, applied) },
      });
    }, msg("Not applied: {{message}}"));
  const remove = () =>
    attempt(async () => {
      await api.removePreset(preset.id);
      await refresh();
      toast(t("“{{name}}” was deleted.", { name }));
    }, msg("Not deleted: {{message}}"));
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
        aria-label={t("Apply {{name}}", { name })}
        onClick={() => (unsaved ? setAsked("apply") : apply())}
      >
        {t("Apply")}
      </button>
      {mayDelete && (
        <button
          type="button"
          className="button"
          aria-disabled={busy}
          aria-label={t("Delete {{name}}", { name })}
          onClick={() => setAsked("delete")}
        >
          {t("Delete")}
        </button>
      )}
      {asked === "apply" && (
        <Confirm
          title={t("Discard your changes?")}
          actions={[
            {
              label: t("Discard and apply"),
              tone: "danger",
              run: () => {
                setAsked(null);
                apply();
              },
            },
          ]}
          cancel={t("Keep editing")}
          onCancel={() => setAsked(null)}
        >
          <p>
            {t("What you changed below is not saved yet, and is lost when “{{name}}” is applied.", {
              name,
            })}
          </p>
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={t("Delete “{{name}}”?", { name })}
          actions={[
            {
              label: t("Delete"),
              tone: "danger",
              run: () => {
                setAsked(null);
                remove();
              },
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(null)}
        >
          <p>
            {preset.shared
              ? t("Nobody can pick this preset any more, and this cannot be undone.")
              : t("You cannot pick this preset any more, and this cannot be undone.")}
          </p>
        </Confirm>
      )}
    </li>
  );
}

function SaveForm({ presets, unsaved }: { presets: readonly Preset[]; unsaved: boolean }) {
  const user = useUser();
  const [name, setName] = useState("");
  const [shared, setShared] = useState(false);
  /** The name of the preset that would be replaced. */
  const [asked, setAsked] = useState<string | null>(null);
  const { busy, problem, attempt, form } = useAttempt();
  const keep = async (called: string) => {
    const { preset, updated } = await api.savePreset(called, shared);
    setName("");
    const done = updated ? msg("“{{name}}” was replaced.") : msg("“{{name}}” was saved.");
    toast(t(done, { name: preset.name }));
    await refresh();
  };
  const save = () =>
    attempt(async () => {
      const read = readForm();
      const called = read.name("name", name, nameLength);
      read.insist();
      const isTaken = presets.some((one) => one.name === called && one.shared === shared);
      if (isTaken) setAsked(called);
      else await keep(called);
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
          hint={unsaved ? t("It will not include the changes below until they are saved.") : ""}
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
      {asked !== null && (
        <Confirm
          title={t("Replace “{{name}}”?", { name: asked })}
          actions={[
            {
              label: t("Replace"),
              tone: "danger",
              run: () => {
                setAsked(null);
                attempt(() => keep(asked));
              },
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(null)}
        >
          <p>
            {t(
              "There is a preset of this name already. The council and the options in it cannot be brought back.",
            )}
          </p>
        </Confirm>
      )}
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
          {t("Presets could not be loaded: {{message}}", {
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
      <SaveForm presets={presets.data ?? []} unsaved={props.unsaved} />
    </section>
  );
}
