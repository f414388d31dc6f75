import { useSortable } from "@dnd-kit/sortable";
import { useId, useState } from "react";
import type { FieldError } from "../../api/problem";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { passFocusOn } from "../../ui/focus";
import { count, shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Monogram } from "../council/monogram";
import { Errors, messagesAt, TextField } from "./fields";
import type { SeatDraft } from "./form";

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
  const isWrong = errors.length > 0;
  const [open, setOpen] = useState(isWrong);
  const [wasWrong, setWasWrong] = useState(isWrong);
  // What is wrong in it is shown. It is closed by hand alone: it may just be typed in.
  if (isWrong !== wasWrong) {
    setWasWrong(isWrong);
    setOpen(open || isWrong);
  }
  return (
    <details
      className="details"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="chevron" />
        <T
          text={
            seat.systemPrompt.trim()
              ? "System prompt<state> (set)</state>"
              : "System prompt<state> (none)</state>"
          }
          parts={{ state: (inner) => <span className="quiet">{inner}</span> }}
        />
      </summary>
      <div className="field details-body">
        <label htmlFor={id} className="visually-hidden">
          {t("System prompt of {{name}}", { name: seat.alias || seat.model })}
        </label>
        <textarea
          id={id}
          className="input"
          rows={4}
          value={seat.systemPrompt}
          placeholder={t(
            "What this member should be or do, for example: You look for what could go wrong.",
          )}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? `${id}-error` : undefined}
          onChange={(event) => onChange(event.target.value)}
        />
        <Errors id={`${id}-error`} messages={errors} />
      </div>
    </details>
  );
}

interface Props {
  seat: SeatDraft;
  at: number;
  /** Its provider does not offer it now. */
  gone: boolean;
  last: boolean;
  errors: readonly FieldError[];
  onChange: (patch: Partial<SeatDraft>) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
}

export const seatName = (seat: SeatDraft) => shortName(seat.alias.trim() || seat.model);

/** A member at its place in the order: its handle, its names, its prompt. */
export function MemberRow({ seat, at, gone, last, errors, onChange, onMove, onRemove }: Props) {
  const {
    setNodeRef,
    setActivatorNodeRef,
    attributes,
    listeners,
    transform,
    transition,
    isDragging,
  } = useSortable({ id: seat.key });
  const id = useId();
  const name = seatName(seat);
  const field = `council_models.${at}`;
  return (
    <li
      ref={setNodeRef}
      className={isDragging ? "member member-dragged" : "member"}
      // Through the DOM, and so past the policy on styles: only the way of a row that moves.
      style={{ transform: transform ? `translateY(${transform.y}px)` : undefined, transition }}
    >
      <div className="member-head">
        <button
          ref={setActivatorNodeRef}
          type="button"
          className="icon-button member-handle"
          aria-label={t("Reorder {{name}}", { name })}
          aria-describedby={attributes["aria-describedby"]}
          title={t("Drag to reorder")}
          {...listeners}
        >
          <Icon name="grip" />
        </button>
        <Monogram member={seat.alias.trim() || seat.model} seat={at} />
        <div className="answer-who">
          <span className="member-name">{name}</span>
          <span className="model-id">{seat.model}</span>
          {gone && <span className="member-gone">{t("not on offer now")}</span>}
        </div>
        <span className="member-actions">
          <MoveButton
            label={t("Move {{name}} up", { name })}
            icon="up"
            off={at === 0}
            onMove={() => onMove(at - 1)}
          />
          <MoveButton
            label={t("Move {{name}} down", { name })}
            icon="down"
            off={last}
            onMove={() => onMove(at + 1)}
          />
          <button
            type="button"
            className="icon-button member-remove"
            aria-label={t("Remove {{name}}", { name })}
            onClick={(event) => {
              passFocusOn(event.currentTarget.closest("li"), ".member-remove", ".picker input");
              onRemove();
            }}
          >
            <Icon name="trash" />
          </button>
        </span>
      </div>
      <Errors
        id={`${id}-model`}
        messages={messagesAt(errors, `${field}.model`).map((message) =>
          t("Model: {{message}}", { message }),
        )}
      />
      <TextField
        label={
          <T
            text="Shown as {{which}}"
            parts={{
              which: (
                <span className="visually-hidden">
                  {t("(member {{number}})", { number: count(at + 1) })}
                </span>
              ),
            }}
          />
        }
        value={seat.alias}
        placeholder={shortName(seat.model)}
        // Two members of one name are told apart here.
        errors={[...messagesAt(errors, field), ...messagesAt(errors, `${field}.alias`)]}
        onChange={(alias) => onChange({ alias })}
      />
      <SystemPrompt
        seat={seat}
        errors={messagesAt(errors, `${field}.system_prompt`)}
        onChange={(systemPrompt) => onChange({ systemPrompt })}
      />
    </li>
  );
}

/** Not `disabled` at an end: a reader who moves a member by keys keeps the focus there. */
function MoveButton({
  label,
  icon,
  off,
  onMove,
}: {
  label: string;
  icon: "up" | "down";
  off: boolean;
  onMove: () => void;
}) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      aria-disabled={off}
      onClick={() => !off && onMove()}
    >
      <Icon name={icon} />
    </button>
  );
}
