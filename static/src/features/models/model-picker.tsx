import "../../styles/picker.css";
import { useDeferredValue, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useModels } from "../../api/queries";
import { useRegions } from "../../api/regions";
import { msg, t } from "../../i18n";
import { passFocusOn } from "../../ui/focus";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { ReadFailed } from "../../ui/read-failed";
import { ListProblem, ProblemActions } from "./list-problem";
import { ModelOption } from "./model-option";
import { type Offers, offersIn } from "./offers";
import { useCombobox } from "./use-combobox";

interface Props {
  taken: readonly string[];
  /** The text next to a model that is taken. */
  takenText: string;
  /** Whether a model may be added once more, as another seat. */
  again: boolean;
  full: boolean;
  fullText: string;
  onAdd: (model: string) => void;
}

const none: Offers = { groups: [], found: 0, shown: 0 };

/** The first place of each group in the whole list. */
function startsOf({ groups }: Offers): number[] {
  let next = 0;
  return groups.map(({ models }) => {
    const start = next;
    next += models.length;
    return start;
  });
}

/**
 * Adds a model from what the providers offer, or any id that is typed. A combobox whose list is always
 * there: the box keeps the focus, so that several can be added one after another.
 */
export function ModelPicker({ taken, takenText, again, full, fullText, onAdd }: Props) {
  const models = useModels();
  const [query, setQuery] = useState("");
  const [said, setSaid] = useState("");
  const id = useId();
  const search = useRef<HTMLInputElement>(null);
  const looked = useDeferredValue(query);
  const { data } = models;
  const hasRegions = data?.models.some(({ region }) => region) === true;
  const region = useRegions(hasRegions).data?.region ?? null;
  const offers = useMemo(
    () => (data ? offersIn(data, looked, region) : none),
    [data, looked, region],
  );
  const starts = useMemo(() => startsOf(offers), [offers]);
  const keys = useMemo(
    () => offers.groups.flatMap((group) => group.models.map((model) => model.id)),
    [offers],
  );
  const typed = query.trim();
  const canAddTyped =
    typed !== "" && !/\s/.test(typed) && !keys.includes(typed) && (again || !taken.includes(typed));
  const choices = canAddTyped ? [...keys, typed] : keys;
  const isOff = (model: string) => full || (!again && taken.includes(model));
  const problems = offers.groups.filter(({ problem }) => problem !== null);

  // What was added has moved the box: a reader who adds another sees where they type.
  const added = taken.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when there is one more
  useLayoutEffect(() => {
    if (document.activeElement === search.current) {
      search.current?.scrollIntoView({ block: "nearest", behavior: "instant" });
    }
  }, [added]);

  const change = (text: string) => {
    setQuery(text);
    setSaid("");
    box.forget();
  };
  const choose = (at: number) => {
    const model = choices[at];
    if (model === undefined) return;
    if (isOff(model)) {
      setSaid(full ? fullText : `${model}: ${takenText}`);
      return;
    }
    onAdd(model);
    if (at < keys.length) {
      setSaid(t("{{model}} was added.", { model }));
      return;
    }
    setSaid(
      data
        ? t("{{model}} was added as it is typed. No provider here lists it.", { model })
        : t("{{model}} was added.", { model }),
    );
    setQuery("");
  };
  const box = useCombobox({
    keys: choices,
    // Not while the list is still that of what was typed before.
    first: typed !== "" && looked === query,
    onPurpose: keys.length > 0 ? keys.length : undefined,
    idOf: (at) => `${id}-${at}`,
    onChoose: choose,
    onEscape: () => {
      if (query === "") return false;
      change("");
      return true;
    },
  });

  return (
    <div className="picker">
      <div className="search">
        <Icon name="search" />
        <input
          ref={search}
          type="text"
          role="combobox"
          inputMode="search"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder={t("Name, maker or id")}
          aria-label={t("Search models")}
          aria-expanded={choices.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={box.activeId}
          aria-describedby={
            problems.map((group) => `${id}-problem-${group.name}`).join(" ") || undefined
          }
          value={query}
          onChange={(event) => change(event.target.value)}
          onKeyDown={box.onKeyDown}
        />
        {query !== "" && (
          <button
            type="button"
            className="icon-button"
            aria-label={t("Clear the search")}
            onClick={(event) => {
              passFocusOn(event.currentTarget, "input");
              change("");
            }}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {models.isError && !data && (
        <ReadFailed
          text={msg("The list of models could not be loaded: {{reason}}")}
          query={models}
        />
      )}
      {full && <p className="quiet">{fullText}</p>}
      <div className="offers-head">
        <p className="quiet" role="status">
          {said ||
            (data
              ? t("{{count, number}} models found", { count: offers.found })
              : models.isPending && t("Loading models…"))}
        </p>
        {/* Each model says its own to those who hear. */}
        <p className="offer-figures" aria-hidden="true">
          <span>{t("In")}</span>
          <span>{t("Out")}</span>
          <span>{t("Context")}</span>
        </p>
      </div>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the box above */}
      <div
        id={`${id}-list`}
        className="offers"
        role="listbox"
        tabIndex={-1}
        aria-label={t("Models on offer")}
        // The box keeps the focus; where keys are on glass, they do not rise for a press.
        onMouseDown={(event) => event.preventDefault()}
        onClick={({ target }) => {
          const option = target instanceof Element ? target.closest("[data-at]") : null;
          if (option) choose(Number(option.getAttribute("data-at")));
        }}
      >
        {offers.groups.map(({ name, models: offered, problem }, group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place in a list
          <div key={name} role="group" aria-labelledby={`${id}-group-${group}`}>
            <div className="offers-group">
              <span id={`${id}-group-${group}`}>{name}</span>
              <span aria-hidden="true">{offered.length > 0 && count(offered.length)}</span>
            </div>
            {problem !== null && (
              <ListProblem id={`${id}-problem-${name}`} provider={name} reason={problem} />
            )}
            {offered.map((model, index) => {
              const at = (starts[group] ?? 0) + index;
              return (
                <ModelOption
                  key={model.id}
                  id={`${id}-${at}`}
                  at={at}
                  model={model}
                  active={at === box.at}
                  taken={taken.includes(model.id) ? takenText : null}
                  off={isOff(model.id)}
                />
              );
            })}
          </div>
        ))}
        {canAddTyped && (
          <div
            id={`${id}-${keys.length}`}
            data-at={keys.length}
            className="offer offer-typed"
            role="option"
            tabIndex={-1}
            aria-selected={box.at === keys.length}
            aria-disabled={full}
          >
            <span className="offer-who">
              {data
                ? t("Add “{{typed}}” as it is typed; no provider here lists it", { typed })
                : t("Add “{{typed}}” as it is typed", { typed })}
            </span>
            <Icon name="plus" />
          </div>
        )}
      </div>
      {data && offers.found === 0 && (
        <p className="quiet">{t("No provider here offers a model like that.")}</p>
      )}
      {offers.found > offers.shown && (
        <p className="quiet">
          {t("{{number}} more: narrow the search to see them.", {
            number: count(offers.found - offers.shown),
          })}
        </p>
      )}
      {data?.models.some(({ pricing }) => pricing) && (
        <p className="quiet">{t("Prices are in US dollars per million tokens.")}</p>
      )}
      {problems.length > 0 && <ProblemActions query={models} />}
    </div>
  );
}
