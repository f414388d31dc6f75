import { useMemo, useRef, useState } from "react";
import { asProblem } from "../../api/problem";
import { useModels } from "../../api/queries";
import type { Model } from "../../api/types";
import { t } from "../../i18n";
import { count, numberFormat } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";

/** A provider may offer hundreds; past this a search is quicker than scrolling. */
const shownAtMost = 60;

const dollars = numberFormat({
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  useGrouping: false,
});
const perMillion = (price: number) => dollars(price * 1_000_000);

function facts(model: Model): string {
  const parts: string[] = [];
  if (model.context_length)
    parts.push(
      t("{{thousands}}k context", { thousands: count(Math.round(model.context_length / 1000)) }),
    );
  if (model.pricing) {
    const { prompt, completion } = model.pricing;
    parts.push(
      prompt === 0 && completion === 0
        ? t("free")
        : t("{{in}} in, {{out}} out per million tokens", {
            in: perMillion(prompt),
            out: perMillion(completion),
          }),
    );
  }
  return parts.join(" · ");
}

export function findModels(models: readonly Model[], query: string): Model[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter((model) => {
    const text = `${model.id} ${model.name} ${model.provider} ${model.family}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function groups(models: readonly Model[]): [string, Model[]][] {
  const byMaker = new Map<string, Model[]>();
  for (const model of models) {
    const name = model.family ? `${model.family} · ${model.provider}` : model.provider;
    byMaker.set(name, [...(byMaker.get(name) ?? []), model]);
  }
  return [...byMaker].sort(([a], [b]) => a.localeCompare(b));
}

interface Props {
  taken: readonly string[];
  /** What is said beside a model that is taken. */
  takenText: string;
  /** Whether a model may be added once more, as another seat. */
  again: boolean;
  full: boolean;
  fullText: string;
  onAdd: (model: string) => void;
}

/** Adds a model from what the providers offer, or any id that is typed. */
export function ModelPicker({ taken, takenText, again, full, fullText, onAdd }: Props) {
  const models = useModels();
  const [query, setQuery] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const found = useMemo(() => findModels(models.data?.models ?? [], query), [models.data, query]);
  const typed = query.trim();
  const canAddTyped =
    typed !== "" &&
    !/\s/.test(typed) &&
    !found.some((model) => model.id === typed) &&
    (again || !taken.includes(typed));
  return (
    <div className="picker">
      <label className="search">
        <Icon name="search" />
        <input
          ref={search}
          type="search"
          placeholder={t("Search models by name, maker or id")}
          aria-label={t("Search models")}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      </label>
      {models.isError && (
        <Notice tone="bad">
          {t("The list of models could not be loaded: {{reason}}", {
            reason: asProblem(models.error).message,
          })}
        </Notice>
      )}
      {models.data?.errors.map((error) => (
        <Notice key={error.provider} tone="warn">
          {t("The list of models of {{provider}} could not be loaded: {{reason}}", {
            provider: error.provider,
            reason: error.message,
          })}
        </Notice>
      ))}
      <p className="visually-hidden" role="status">
        {models.data
          ? t("{{count, number}} models found", { count: found.length })
          : t("Loading models")}
      </p>
      {full && <p className="quiet">{fullText}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list scrolls, and keys must reach it */}
      <section className="picker-list" tabIndex={0} aria-label={t("Models on offer")}>
        {models.isPending && <p className="quiet">{t("Loading models…")}</p>}
        {groups(found.slice(0, shownAtMost)).map(([name, entries]) => (
          <div key={name}>
            <h4>{name}</h4>
            <ul>
              {entries.map((model) => (
                <li key={model.id}>
                  <div className="picker-model">
                    <span className="picker-name">{model.name}</span>
                    <span className="model-id">
                      {[model.id !== model.name && model.id, facts(model)]
                        .filter(Boolean)
                        .join(" · ")}
                    </span>
                  </div>
                  {taken.includes(model.id) && <span className="quiet">{takenText}</span>}
                  <button
                    type="button"
                    className="quiet-button"
                    aria-label={t("Add {{model}}", { model: model.id })}
                    disabled={full || (!again && taken.includes(model.id))}
                    onClick={() => onAdd(model.id)}
                  >
                    <Icon name="plus" />
                    {t("Add")}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        ))}
        {found.length > shownAtMost && (
          <p className="quiet">
            {t("{{number}} more: narrow the search to see them.", {
              number: count(found.length - shownAtMost),
            })}
          </p>
        )}
        {models.data && found.length === 0 && (
          <p className="quiet">{t("No provider here offers a model like that.")}</p>
        )}
      </section>
      {canAddTyped && (
        <button
          type="button"
          className="quiet-button"
          disabled={full}
          onClick={() => {
            onAdd(typed);
            setQuery("");
            search.current?.focus();
          }}
        >
          <Icon name="plus" />
          {t("Add “{{typed}}” as it is typed", { typed })}
        </button>
      )}
    </div>
  );
}
