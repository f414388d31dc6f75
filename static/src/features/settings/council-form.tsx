import { useEffect, useRef, useState } from "react";
import { api } from "../../api/client";
import { asProblem, type Problem } from "../../api/problem";
import { keys, queryClient } from "../../api/queries";
import type { Config } from "../../api/types";
import { plural } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { changeOf, draftOf, isChanged, type SettingsDraft } from "./form";
import { Members } from "./members";
import { ByDefault, OptionSettings } from "./options";
import { Roles, Rules } from "./roles";

/** Asks before a reload or a closed tab throws edits away. */
function useGuard(active: boolean) {
  useEffect(() => {
    if (!active) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [active]);
}

/** Goes to the part the address names (`/settings#escalation`): it was not there when the page came. */
function useAnchor() {
  useEffect(() => {
    const name = location.hash.slice(1);
    if (name) document.getElementById(name)?.scrollIntoView({ block: "start" });
  }, []);
}

interface Props {
  config: Config;
  /** Told whenever there begin or cease to be edits that are not saved. */
  onEdits: (unsaved: boolean) => void;
}

export function CouncilForm({ config, onEdits }: Props) {
  const [draft, setDraft] = useState(() => draftOf(config));
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const changed = isChanged(draft, config);
  useGuard(changed);
  useEffect(() => onEdits(changed), [changed, onEdits]);
  useAnchor();

  useEffect(() => {
    if (problem?.fields.length) {
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')?.focus();
    }
  }, [problem]);

  const change = (patch: Partial<SettingsDraft>) => setDraft((old) => ({ ...old, ...patch }));

  const run = async (call: () => Promise<Config>, done: string) => {
    setBusy(true);
    setProblem(null);
    try {
      const saved = await call();
      queryClient.setQueryData(keys.config, saved);
      setDraft(draftOf(saved));
      toast(done);
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };

  const errors = problem?.fields ?? [];
  return (
    <form
      ref={form}
      className="settings-form"
      aria-label="Council"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        run(() => api.saveConfig(changeOf(draft)), "The council was saved.");
      }}
    >
      <section className="panel" aria-labelledby="members-title">
        <h2 id="members-title">Members</h2>
        <p className="panel-lead">
          Each answers the question and reviews the others. A council has 2 to{" "}
          {config.limits.max_members} members, shown in this order.
        </p>
        <Members
          seats={draft.seats}
          most={config.limits.max_members}
          errors={errors}
          onChange={(seats) => change({ seats })}
        />
      </section>
      <section className="panel" aria-labelledby="roles-title">
        <h2 id="roles-title">Chairman and helpers</h2>
        <Roles draft={draft} errors={errors} onChange={change} />
      </section>
      <section className="panel" aria-labelledby="rules-title">
        <h2 id="rules-title">Rules</h2>
        <Rules draft={draft} onChange={change} />
      </section>
      <OptionSettings
        draft={draft}
        errors={errors}
        most={config.limits.max_members}
        onChange={change}
      />
      <ByDefault draft={draft} config={config} errors={errors} onChange={change} />
      <div className="save-bar">
        {problem && (
          <Notice tone="bad" urgent>
            <strong>Not saved.</strong>{" "}
            {errors.length > 0
              ? `${plural(errors.length, "field needs", "fields need")} a look; the marks say why.`
              : problem.message}
          </Notice>
        )}
        <div className="save-row">
          <button type="submit" className="button button-main" disabled={!changed || busy}>
            {busy ? "Saving…" : "Save"}
          </button>
          <button
            type="button"
            className="button"
            disabled={!changed || busy}
            onClick={() => {
              setDraft(draftOf(config));
              setProblem(null);
            }}
          >
            Discard changes
          </button>
          <button
            type="button"
            className="button"
            disabled={config.is_default || busy}
            onClick={() => run(api.resetConfig, "The instance's council is back.")}
          >
            Reset to default
          </button>
          <span className="quiet save-state">
            {changed
              ? "Not saved yet"
              : config.is_default
                ? "This is the instance's default"
                : "This is your own council"}
          </span>
        </div>
      </div>
    </form>
  );
}
