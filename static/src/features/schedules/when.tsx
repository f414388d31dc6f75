import { useId } from "react";
import type { FieldError } from "../../api/problem";
import { t } from "../../i18n";
import { Errors, messagesAt, TextField } from "../settings/fields";
import {
  type Cadence,
  cronOf,
  dayName,
  days,
  kindNames,
  kinds,
  weekdayName,
  weekdays,
  zones,
} from "./cadence";
import { NextTimes, type Preview } from "./times";

interface Props {
  cadence: Cadence;
  zone: string;
  preview: Preview;
  /** What was wrong when it was sent, or was to be. */
  errors: readonly FieldError[];
  onCadence: (cadence: Cadence) => void;
  onZone: (zone: string) => void;
}

/** How often it is asked, and by which clock. */
export function When({ cadence, zone, preview, errors, onCadence, onZone }: Props) {
  const id = useId();
  /** What is wrong with what is typed now; else what was. */
  const messages = (field: string) => {
    const now = messagesAt(preview.wrong, field);
    return now.length > 0 ? now : messagesAt(errors, field);
  };
  const wrongTime = messages("time");
  return (
    <fieldset className="schedule-when">
      <legend>{t("When")}</legend>
      <div className="field">
        <label htmlFor={`${id}-kind`}>{t("How often")}</label>
        <select
          id={`${id}-kind`}
          className="input"
          value={cadence.kind}
          onChange={(event) => {
            const kind = kinds.find((one) => one === event.target.value) ?? "own";
            // One's own begins with what was chosen before.
            onCadence({ ...cadence, kind, own: cadence.own || cronOf(cadence) });
          }}
        >
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {t(kindNames[kind])}
            </option>
          ))}
        </select>
      </div>
      {cadence.kind === "week" && (
        <div className="field">
          <label htmlFor={`${id}-weekday`}>{t("Day of the week")}</label>
          <select
            id={`${id}-weekday`}
            className="input"
            value={cadence.weekday}
            onChange={(event) => onCadence({ ...cadence, weekday: Number(event.target.value) })}
          >
            {weekdays.map((weekday) => (
              <option key={weekday} value={weekday}>
                {weekdayName(weekday)}
              </option>
            ))}
          </select>
        </div>
      )}
      {cadence.kind === "month" && (
        <div className="field">
          <label htmlFor={`${id}-day`}>{t("Day of the month")}</label>
          <select
            id={`${id}-day`}
            className="input"
            value={cadence.day}
            onChange={(event) => onCadence({ ...cadence, day: event.target.value })}
          >
            {days.map((day) => (
              <option key={day} value={day}>
                {dayName(day)}
              </option>
            ))}
          </select>
        </div>
      )}
      {cadence.kind === "own" ? (
        <TextField
          label={t("Cron expression")}
          hint={t(
            "Minute, hour, day of the month, month, day of the week; or @daily and the like.",
          )}
          value={cadence.own}
          placeholder="0 8 * * 1-5"
          errors={messages("cron")}
          onChange={(own) => onCadence({ ...cadence, own })}
        />
      ) : (
        <div className="field">
          <label htmlFor={`${id}-time`}>{t("Time of day")}</label>
          <input
            id={`${id}-time`}
            type="time"
            className="input"
            value={cadence.time}
            aria-invalid={wrongTime.length > 0}
            aria-describedby={wrongTime.length > 0 ? `${id}-time-error` : undefined}
            onChange={(event) => onCadence({ ...cadence, time: event.target.value })}
          />
          <Errors id={`${id}-time-error`} messages={wrongTime} />
        </div>
      )}
      <TextField
        label={t("Time zone")}
        value={zone}
        list={`${id}-zones`}
        errors={messages("time_zone")}
        onChange={onZone}
      />
      <datalist id={`${id}-zones`}>
        {zones().map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <p className="schedule-preview" role="status">
        {preview.times ? <NextTimes times={preview.times} zone={preview.zone} /> : " "}
      </p>
    </fieldset>
  );
}
