import { type ReactNode, useId } from "react";
import type { FieldError } from "../../api/problem";
import { Icon } from "../../ui/icon";

export const modelListId = "known-models";

/** The messages that belong to exactly this field. */
export const messagesAt = (errors: readonly FieldError[], field: string) =>
  errors.filter((error) => error.field === field).map((error) => error.message);

export function Errors({ id, messages }: { id: string; messages: readonly string[] }) {
  if (messages.length === 0) return null;
  return (
    <span id={id} className="field-error">
      <Icon name="alert" />
      {messages.join(" ")}
    </span>
  );
}

interface TextFieldProps {
  label: ReactNode;
  hint?: string;
  value: string;
  placeholder?: string;
  errors: readonly string[];
  /** Suggests the models the providers offer. */
  model?: boolean;
  /** The id of a `<datalist>` that it suggests. */
  list?: string;
  /** A phone offers its number keys. */
  numeric?: boolean;
  maxLength?: number;
  onChange: (value: string) => void;
}

export function TextField(props: TextFieldProps) {
  const { label, hint, value, placeholder, errors, maxLength, onChange } = props;
  const { model = false, numeric = false, list = model ? modelListId : undefined } = props;
  const id = useId();
  const notes = [hint && `${id}-hint`, errors.length > 0 && `${id}-error`].filter(Boolean);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        className={model ? "input input-model" : "input"}
        list={list}
        inputMode={numeric ? "decimal" : undefined}
        autoComplete="off"
        spellCheck={false}
        value={value}
        placeholder={placeholder}
        maxLength={maxLength}
        aria-invalid={errors.length > 0}
        aria-describedby={notes.join(" ") || undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {hint && (
        <span id={`${id}-hint`} className="field-hint">
          {hint}
        </span>
      )}
      <Errors id={`${id}-error`} messages={errors} />
    </div>
  );
}

/** A text of several lines. */
export function LongTextField({
  label,
  hint,
  value,
  placeholder,
  errors,
  onChange,
}: Omit<TextFieldProps, "label" | "model" | "list" | "numeric"> & { label: string; hint: string }) {
  const id = useId();
  const wrong = errors.length > 0;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="input"
        rows={3}
        dir="auto"
        value={value}
        placeholder={placeholder}
        aria-invalid={wrong}
        aria-describedby={wrong ? `${id}-hint ${id}-error` : `${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      />
      <span id={`${id}-hint`} className="field-hint">
        {hint}
      </span>
      <Errors id={`${id}-error`} messages={errors} />
    </div>
  );
}

export function CheckField({
  label,
  hint,
  checked,
  onChange,
}: {
  label: string;
  hint: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="check-field">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      <span id={`${id}-hint`} className="field-hint">
        {hint}
      </span>
    </div>
  );
}
