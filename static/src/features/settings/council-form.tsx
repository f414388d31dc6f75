import { useEffect, useMemo, useRef, useState } from "react";
import { api } from "../../api/client";
import { asProblem, type Problem } from "../../api/problem";
import { keys, queryClient } from "../../api/queries";
import type { Config, ConfigChange } from "../../api/types";
import { msg, t } from "../../i18n";
import { focusFirstWrong } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { count } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { MissingModels } from "../council/missing-models";
import { names, withModel } from "../models/replace";
import { ByDefault } from "./by-default";
import { FeatureParts } from "./feature-parts";
import { changeOf } from "./form";
import { Leaving } from "./leaving";
import { Members } from "./members";
import { allProblems, problemsOf } from "./problems";
import { Roles, Rules } from "./roles";
import { useDraft } from "./use-draft";

/** Goes to the part the address names (`/settings#members`): it was not there when the page came. */
function useAnchor() {
  useEffect(() => {
    const name = location.hash.slice(1);
    if (name) document.getElementById(name)?.scrollIntoView({ block: "start" });
  }, []);
}

/** Which settings are edited, and how that is told: in texts that are translated where they are read. */
export interface SettingsStore {
  key: readonly string[];
  save: (change: ConfigChange) => Promise<Config>;
  reset: () => Promise<Config>;
  saved: string;
  wasReset: string;
  /** What a reset takes away, and what it leaves. */
  resetTakes: string;
  isDefault: string;
  isOwn: string;
}

const own: SettingsStore = {
  key: keys.config,
  save: api.saveConfig,
  reset: api.resetConfig,
  saved: msg("The council was saved."),
  wasReset: msg("The instance’s council is back."),
  resetTakes: msg(
    "Your members, their system prompts, the chairman, every model list, the thresholds and the default options become those of this instance. Presets, budgets and tokens stay.",
  ),
  isDefault: msg("This is the instance’s default"),
  isOwn: msg("This is your own council"),
};

interface Props {
  config: Config;
  /** One's own when left out. */
  store?: SettingsStore;
  /** Told whenever there begin or cease to be edits that are not saved. */
  onEdits: (unsaved: boolean) => void;
}

/** Saving by the keys that do so everywhere, from wherever one is: Save stands below a long form. */
function useSaveKeys(save: () => void) {
  const now = useRef(save);
  useEffect(() => {
    now.current = save;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey || document.querySelector("dialog:modal")) return;
      // Nobody wants this page as a file.
      event.preventDefault();
      if (!event.repeat) now.current();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

/**
 * Another window may have saved: a reader who comes back to this one sees that before they save.
 */
function useNewest(key: readonly string[]) {
  useEffect(() => {
    const look = () => queryClient.invalidateQueries({ queryKey: key });
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [key]);
}

function SaveState({
  changed,
  wrong,
  children,
}: {
  changed: boolean;
  wrong: number;
  children: string;
}) {
  if (!changed) return children;
  if (wrong === 0) return t("Not saved yet");
  return t("Not saved yet · {{count, number}} fields need your attention", { count: wrong });
}

export function CouncilForm({ config, store = own, onEdits }: Props) {
  const { draft, changed, mixed, change, discard, settle } = useDraft(config);
  const [refused, setRefused] = useState<{ problem: Problem; sent: ConfigChange } | null>(null);
  const [asksReset, setAsksReset] = useState(false);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const most = config.limits.max_members;
  const errors = useMemo(
    () =>
      allProblems(
        problemsOf(draft, most),
        refused?.problem.fields ?? [],
        { ...refused?.sent },
        { ...changeOf(draft) },
      ),
    [draft, most, refused],
  );
  const missing = config.missing_models.filter((one) => one.replaced || names(draft, one.model));
  useEffect(() => onEdits(changed), [changed, onEdits]);
  useAnchor();
  useNewest(store.key);

  useEffect(() => {
    if (refused?.problem.fields.length) focusFirstWrong(form.current);
  }, [refused]);

  /** Whether it was done. */
  const run = async (call: () => Promise<Config>, sent: ConfigChange, done: string) => {
    setBusy(true);
    setRefused(null);
    try {
      const saved = await call();
      // One that was asked for before would bring what held then.
      await queryClient.cancelQueries({ queryKey: store.key });
      queryClient.setQueryData(store.key, saved);
      settle(draft, saved);
      toast(t(done));
      return true;
    } catch (error) {
      setRefused({ problem: asProblem(error), sent });
      return false;
    } finally {
      setBusy(false);
    }
  };
  const save = () => {
    const sent = changeOf(draft);
    return run(() => store.save(sent), sent, store.saved);
  };
  const canSave = changed && !busy;
  useSaveKeys(() => {
    if (canSave) save();
  });
  const letGo = () => {
    discard();
    setRefused(null);
  };
  const withdrawOffer = useRef<() => void>(() => undefined);
  useEffect(() => () => withdrawOffer.current(), []);
  const letGoHere = () => {
    letGo();
    withdrawOffer.current = toast(t("Your changes were discarded."), {
      action: { label: t("Undo"), run: () => change(draft) },
    });
  };

  return (
    <form
      ref={form}
      className="settings-form"
      aria-label={t("Council")}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) save();
      }}
    >
      {missing.length > 0 && (
        <Notice tone="warn">
          <MissingModels
            models={missing}
            onReplace={(model, nearest) => change(withModel(draft, model, nearest))}
          />
        </Notice>
      )}
      <section className="panel" id="members" aria-labelledby="members-title">
        <h2 id="members-title">{t("Members")}</h2>
        <p className="panel-lead">
          {t(
            "Each answers the question and reviews the others. A council has 2 to {{most}} members, shown in this order.",
            { most: count(most) },
          )}
        </p>
        <Members
          seats={draft.seats}
          gone={missing.filter(({ replaced }) => !replaced).map(({ model }) => model)}
          most={most}
          errors={errors}
          onChange={(seats) => change({ seats })}
        />
      </section>
      <section className="panel" id="roles" aria-labelledby="roles-title">
        <h2 id="roles-title">{t("Chairman and helpers")}</h2>
        <Roles draft={draft} errors={errors} onChange={change} />
      </section>
      <section className="panel" id="rules" aria-labelledby="rules-title">
        <h2 id="rules-title">{t("Rules")}</h2>
        <Rules draft={draft} onChange={change} />
      </section>
      <FeatureParts draft={draft} errors={errors} most={most} onChange={change} />
      <ByDefault draft={draft} config={config} errors={errors} onChange={change} />
      <div className="save-bar">
        {refused && (errors.length > 0 || refused.problem.fields.length === 0) && (
          <Notice tone="bad" urgent>
            <strong>{t("Not saved.")}</strong>{" "}
            {errors.length > 0
              ? t("{{count, number}} fields need your attention; see the notes beside them.", {
                  count: errors.length,
                })
              : refused.problem.message}
          </Notice>
        )}
        {mixed && (
          <Notice tone="warn">
            {t(
              "These settings were changed elsewhere meanwhile. What you have edited stays as you typed it; everything else shows the newer settings.",
            )}
          </Notice>
        )}
        <div className="save-row">
          <button
            type="submit"
            className="button button-main"
            aria-keyshortcuts="Control+S Meta+S"
            aria-disabled={!canSave}
          >
            {busy ? t("Saving…") : t("Save")}
          </button>
          <button
            type="button"
            className="button"
            aria-disabled={!canSave}
            onClick={canSave ? letGoHere : undefined}
          >
            {t("Discard changes")}
          </button>
          <button
            type="button"
            className="button"
            aria-disabled={config.is_default || busy}
            onClick={() => config.is_default || busy || setAsksReset(true)}
          >
            {t("Reset to default")}
          </button>
          <span className="quiet save-state">
            {/* What holds now is said when it can be changed again. */}
            {(changed || !busy) && (
              <SaveState changed={changed} wrong={errors.length}>
                {t(config.is_default ? store.isDefault : store.isOwn)}
              </SaveState>
            )}
          </span>
        </div>
      </div>
      <Leaving active={changed} save={save} discard={letGo} />
      {asksReset && (
        <Confirm
          title={t("Reset to default?")}
          cancel={t("Keep")}
          onCancel={() => setAsksReset(false)}
          actions={[
            {
              label: t("Reset"),
              tone: "danger",
              run: () => {
                setAsksReset(false);
                run(store.reset, {}, store.wasReset);
              },
            },
          ]}
        >
          {t(store.resetTakes)}
        </Confirm>
      )}
    </form>
  );
}
