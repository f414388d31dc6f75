import { useId } from "react";
import type { FieldError } from "../../api/problem";
import { shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Monogram } from "../council/monogram";
import { Errors, TextField } from "./fields";
import { messagesAt, moved, newSeat, type SeatDraft } from "./form";
import { ModelPicker } from "./model-picker";

interface Props {
  seats: readonly SeatDraft[];
  most: number;
  errors: readonly FieldError[];
  onChange: (seats: SeatDraft[]) => void;
}

function SystemPrompt({
  seat,
  errors,
  onChange,
}: {
  seat: SeatDraft;
  errors: readonly string[];
  onChange: (text: string) => void;
}) {
  const id = useId();
  return (
    <details className="details" open={errors.length > 0 || undefined}>
      <summary>
        <Icon name="chevron" />
        System prompt
        <span className="quiet">{seat.systemPrompt.trim() ? " (set)" : " (none)"}</span>
      </summary>
      <div className="field details-body">
        <label htmlFor={id} className="visually-hidden">
          System prompt of {seat.alias || seat.model}
        </label>
        <textarea
          id={id}
          className="input"
          rows={4}
          value={seat.systemPrompt}
          placeholder="What this member should be or do, for example: You look for what could go wrong."
          aria-invalid={errors.length > 0}
          aria-describedby={errors.length > 0 ? `${id}-error` : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
        <Errors id={`${id}-error`} messages={errors} />
      </div>
    </details>
  );
}

export function Members({ seats, most, errors, onChange }: Props) {
  const change = (at: number, patch: Partial<SeatDraft>) =>
    onChange(seats.map((seat, index) => (index === at ? { ...seat, ...patch } : seat)));
  const id = useId();
  return (
    <>
      <Errors id={`${id}-all`} messages={messagesAt(errors, "council_models")} />
      <ol className="members">
        {seats.map((seat, at) => {
          const name = shortName(seat.alias || seat.model);
          const field = `council_models.${at}`;
          return (
            <li key={seat.key} className="member">
              <div className="member-head">
                <Monogram member={name} seat={at} />
                <div className="answer-who">
                  <span className="member-name">{name}</span>
                  <span className="model-id">{seat.model}</span>
                </div>
                <span className="member-actions">
                  <button
                    type="button"
                    className="icon-button"
                    aria-label={`Move ${name} up`}
                    disabled={at === 0}
                    onClick={() => onChange(moved(seats, at, at - 1))}
                  >
                    <Icon name="up" />
                  </button>
                  <button
                    type="button"
                    className="icon-button"
                    aria-label={`Move ${name} down`}
                    disabled={at === seats.length - 1}
                    onClick={() => onChange(moved(seats, at, at + 1))}
                  >
                    <Icon name="down" />
                  </button>
                  <button
                    type="button"
                    className="icon-button"
                    aria-label={`Remove ${name}`}
                    onClick={() => onChange(seats.filter((_, index) => index !== at))}
                  >
                    <Icon name="trash" />
                  </button>
                </span>
              </div>
              <Errors
                id={`${id}-${seat.key}`}
                messages={[
                  ...messagesAt(errors, field),
                  ...messagesAt(errors, `${field}.model`).map((message) => `Model: ${message}`),
                ]}
              />
              <TextField
                label={
                  <>
                    Shown as<span className="visually-hidden"> (member {at + 1})</span>
                  </>
                }
                value={seat.alias}
                placeholder={shortName(seat.model)}
                errors={messagesAt(errors, `${field}.alias`)}
                onChange={(alias) => change(at, { alias })}
              />
              <SystemPrompt
                seat={seat}
                errors={messagesAt(errors, `${field}.system_prompt`)}
                onChange={(systemPrompt) => change(at, { systemPrompt })}
              />
            </li>
          );
        })}
      </ol>
      <h3>Add a member</h3>
      <ModelPicker
        taken={seats.map((seat) => seat.model)}
        takenText="in the council"
        again
        full={seats.length >= most}
        fullText="The council is full. Remove a member to add another."
        onAdd={(model) => onChange([...seats, newSeat(model)])}
      />
    </>
  );
}
