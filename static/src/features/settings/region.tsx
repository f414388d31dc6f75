import { useId, useState } from "react";
import { keys, queryClient } from "../../api/queries";
import { type RegionList, useRegions } from "../../api/regions";
import type { Config, ConfigChange } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";
import { RegionChanges } from "./region-changes";

/** Whose settings they are. */
export interface RegionStore {
  key: readonly string[];
  save: (change: ConfigChange) => Promise<Config>;
}

interface Props {
  config: Config;
  store: RegionStore;
}

function Choose({ config, store, list }: Props & { list: RegionList }) {
  const now = config.region ?? list.default ?? "";
  const [chosen, setChosen] = useState<string | null>(null);
  const { busy, problem, attempt } = useAttempt();
  const id = useId();
  const nameOf = (region: string) => list.regions.find((one) => one.id === region)?.name ?? region;
  const save = (change: ConfigChange) =>
    attempt(async () => {
      const saved = await store.save(change);
      await queryClient.cancelQueries({ queryKey: store.key });
      queryClient.setQueryData(store.key, saved);
    });
  const move = async (region: string) => {
    if (region === now) return;
    // Whoever goes back to the provider's own follows it from then on.
    const change: ConfigChange = { region: region === list.default ? "" : region };
    if (!(await save(change))) return;
    setChosen(null);
    toast(t("The region is {{region}} now.", { region: nameOf(region) }));
    // Which models are on offer, and which seats lack theirs.
    await queryClient.invalidateQueries({ queryKey: keys.models });
  };
  const wanted = chosen ?? now;
  return (
    <>
      <div className="region-choice">
        <div className="field">
          <label htmlFor={id}>{t("Region")}</label>
          <select
            id={id}
            className="input"
            value={wanted}
            aria-describedby={`${id}-hint`}
            onChange={(event) => setChosen(event.target.value)}
          >
            {!list.regions.some((region) => region.id === now) && (
              <option value={now}>{now}</option>
            )}
            {list.regions.map((region) => (
              <option key={region.id} value={region.id}>
                {region.id === list.default
                  ? t("{{region}} (the default)", { region: `${region.name} · ${region.id}` })
                  : `${region.name} · ${region.id}`}
              </option>
            ))}
          </select>
        </div>
        <button
          type="button"
          className="button"
          aria-disabled={busy || wanted === now}
          onClick={() => move(wanted)}
        >
          {busy ? t("Saving…") : t("Use this region")}
        </button>
      </div>
      <p id={`${id}-hint`} className="field-hint">
        {t("Changing it gives every model of {{provider}} in the settings its id there, at once.", {
          provider: list.provider ?? "",
        })}
      </p>
      {problem && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <RegionChanges
        config={config}
        nameOf={nameOf}
        busy={busy}
        onReplace={(change) => save(change)}
      />
    </>
  );
}

/** Where models are asked, for a provider that is in several places of the world. */
export function Region({ config, store }: Props) {
  const regions = useRegions();
  const list = regions.data;
  if (list && !list.provider) return null;
  return (
    <section className="panel" id="region" aria-labelledby="region-title">
      <h2 id="region-title">{t("Region")}</h2>
      <p className="panel-lead">
        {t("Where in the world to ask models that are offered in several places.")}
      </p>
      {regions.isPending && <p className="quiet">{t("Loading the regions…")}</p>}
      {regions.isError && !list && (
        <ReadFailed text={msg("The regions could not be loaded: {{reason}}")} query={regions} />
      )}
      {list && <Choose config={config} store={store} list={list} />}
    </section>
  );
}
