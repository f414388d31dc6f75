import { useEffect, useId, useRef, useState } from "react";
import type { FieldError } from "../../api/problem";
import { t } from "../../i18n";
import { isForInputMethod } from "../../ui/composing";
import { passFocusOn } from "../../ui/focus";
import { count, shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { ModelPicker } from "../models/model-picker";
import { Errors, messagesAt } from "./fields";

interface Props {
  /** The field's name at the server, for its errors. */
  field: string;
  title: string;
  hint: string;
  models: readonly string[];
  most: number;
  /** What no models at all mean. */
  none: string;
  /** Models near at hand: those of the council. */
  suggested: readonly string[];
  errors: readonly FieldError[];
  onChange: (models: string[]) => void;
}

/** The errors of a list: its own, and those of what is no longer shown at a place of its own. */
const listMessages = (errors: readonly FieldError[], field: string, length: number) => [
  ...messagesAt(errors, field),
  ...errors
    .filter((error) => {
      const place = error.field.startsWith(`${field}.`) ? error.field.slice(field.length + 1) : "";
      return /^\d+$/.test(place) && Number(place) >= length;
    })
    .map((error) => error.message),
];

/** A list of models that an option asks. */
export function ModelListField(props: Props) {
  const { field, title, hint, models, most, none, suggested, errors, onChange } = props;
  const [adding, setAdding] = useState(false);
  const id = useId();
  const way = useRef<HTMLButtonElement>(null);
  const picker = useRef<HTMLDivElement>(null);
  // What is typed next is what is looked for, and no shortcut.
  useEffect(() => {
    if (adding) picker.current?.querySelector("input")?.focus();
  }, [adding]);
  const close = () => {
    setAdding(false);
    way.current?.focus();
  };
  const own = listMessages(errors, field, models.length);
  const full = models.length >= most;
  const near = full ? [] : suggested.filter((model) => !models.includes(model));
  const isWrong = errors.some(
    (error) => error.field === field || error.field.startsWith(`${field}.`),
  );
  return (
    <fieldset
      className="model-list"
      tabIndex={-1}
      data-invalid={isWrong || undefined}
      aria-describedby={`${id}-hint`}
    >
      <legend>{title}</legend>
      <p id={`${id}-hint`} className="field-hint">
        {hint}
      </p>
      <Errors id={`${id}-error`} messages={own} />
      <ul className="model-chips">
        {models.length === 0 && <li className="model-list-none">{none}</li>}
        {models.map((model, at) => {
          const wrong = messagesAt(errors, `${field}.${at}`).length > 0;
          return (
            <li key={model} className={wrong ? "model-chip model-chip-wrong" : "model-chip"}>
              {model}
              <button
                type="button"
                className="icon-button"
                aria-label={t("Remove {{model}} from {{title}}", { model, title })}
                onClick={(event) => {
                  passFocusOn(event.currentTarget.closest("li"), "button");
                  onChange(models.filter((_, index) => index !== at));
                }}
              >
                <Icon name="close" />
              </button>
            </li>
          );
        })}
        {near.map((model) => (
          <li key={model}>
            <button
              type="button"
              className="chip"
              aria-label={t("Add {{model}} to {{title}}", { model, title })}
              onClick={(event) => {
                passFocusOn(event.currentTarget.closest("li"), "button");
                onChange([...models, model]);
              }}
            >
              <Icon name="plus" />
              {shortName(model)}
            </button>
          </li>
        ))}
        <li>
          <button
            ref={way}
            type="button"
            className="quiet-button"
            aria-expanded={adding}
            aria-label={t(
              adding
                ? "Close the list of models for {{title}}"
                : "Find another model for {{title}}",
              { title },
            )}
            onClick={() => setAdding(!adding)}
          >
            <Icon name={adding ? "close" : "search"} />
            {adding ? t("Close") : t("Find another")}
          </button>
        </li>
      </ul>
      {models.map((model, at) => (
        <Errors
          key={model}
          id={`${id}-${at}`}
          messages={messagesAt(errors, `${field}.${at}`).map((message) => `${model}: ${message}`)}
        />
      ))}
      {adding && (
        // biome-ignore lint/a11y/noStaticElementInteractions: what is in it has the focus
        <div
          ref={picker}
          onKeyDown={(event) => {
            // The box has its own use for it while there is something in it.
            if (event.key === "Escape" && !isForInputMethod(event.nativeEvent)) close();
          }}
        >
          <ModelPicker
            taken={models}
            takenText={t("on the list")}
            again={false}
            full={full}
            fullText={t("The list is full: at most {{most}}. Remove a model to add another.", {
              most: count(most),
            })}
            onAdd={(model) => onChange([...models, model])}
          />
        </div>
      )}
    </fieldset>
  );
}
