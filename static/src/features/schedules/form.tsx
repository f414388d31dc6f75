import { useId, useRef, useState } from "react";
import type { Schedule, ScheduleChange } from "../../api/schedules";
import type { Ask } from "../../api/types";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { listText, sentence } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { useOptions } from "../options/option-bar";
import { PresetPicker } from "../presets/preset-picker";
import { LongTextField, messagesAt, TextField } from "../settings/fields";
import {
  cadenceOf,
  cronOf,
  dayName,
  days,
  kindNames,
  kinds,
  usual,
  weekdayName,
  weekdays,
  zoneHere,
  zones,
} from "./cadence";
import { askedIn, useAskedOf } from "./request";
import { Preview } from "./times";

interface Props {
  /** The one that is changed; none where one is made. */
  schedule?: Schedule;
  /** The question that one is made of. */
  question?: Partial<Ask>;
  label: string;
  action: string;
  onSave: (wanted: ScheduleChange) => Promise<void>;
  onCancel: () => void;
}

/** The longest name, in characters. */
const nameLength = 100;

/** What a schedule is called before somebody calls it otherwise: the first line of its question. */
const nameOf = (question: string) =>
  [...(question.trim().split("\n", 1)[0] ?? "")].slice(0, 60).join("");

/** A number as it is typed, also with a comma; null for none, NaN for what is no number. */
const amount = (text: string) =>
  text.trim() === "" ? null : Number(text.trim().replace(",", "."));

/** What is asked, when, and what it may cost. */
export function ScheduleForm({ schedule, question, label, action, onSave, onCancel }: Props) {
  const id = useId();
  const [asked, setAsked] = useState(() => askedIn(schedule?.request ?? question ?? {}));
  const [name, setName] = useState(schedule?.name ?? "");
  const [cadence, setCadence] = useState(() => (schedule ? cadenceOf(schedule.cron) : usual));
  const [zone, setZone] = useState(schedule?.time_zone ?? zoneHere());
  const [budget, setBudget] = useState(String(schedule?.budget_usd ?? ""));
  const { busy, problem, attempt } = useAttempt();
  const form = useRef<HTMLFormElement>(null);
  const { scene, presets, preset, request } = useAskedOf(asked);
  const { bar, panel } = useOptions({
    scene,
    question: asked.content,
    picker: presets && presets.length > 0 && (
      <PresetPicker
        presets={presets}
        chosen={preset?.id ?? null}
        usual={t("Your council")}
        onChange={(preset) => setAsked({ ...asked, preset, choices: {} })}
      />
    ),
    onChange: (change) => setAsked({ ...asked, choices: { ...asked.choices, ...change } }),
  });
  const errors = problem?.fields ?? [];
  // What no field of the form is for, such as an option that the server does not take.
  const shown = ["name", "request.content", "cron", "time_zone", "budget_usd"];
  const others = errors.filter(({ field }) => !shown.includes(field));
  const cron = cronOf(cadence);
  const inTheWay = asked.content.trim() === "" || cron === "" || zone.trim() === "";
  const rest = Object.keys(asked.others).filter((one) => one !== "system_prompt");

  const save = async () => {
    if (inTheWay) return;
    const wanted = {
      name: name.trim() || nameOf(asked.content),
      request,
      budget_usd: amount(budget),
      // The same times are no new ones.
      ...(cron !== schedule?.cron && { cron }),
      ...(zone.trim() !== schedule?.time_zone && { time_zone: zone.trim() }),
    };
    if (await attempt(() => onSave(wanted))) return;
    requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(),
    );
  };

  return (
    <form
      ref={form}
      className="schedule-form"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <LongTextField
        label={t("Question")}
        hint={t("Each time it is the first question of a new conversation.")}
        value={asked.content}
        errors={messagesAt(errors, "request.content")}
        onChange={(content) => setAsked({ ...asked, content })}
      />
      {panel}
      <div className="composer-row schedule-options">{bar}</div>
      {asked.others.system_prompt && (
        <p className="field-hint">
          {t("With the system prompt: {{prompt}}", { prompt: asked.others.system_prompt })}
        </p>
      )}
      {rest.length > 0 && (
        <p className="field-hint">
          {t("Asked for besides: {{fields}}", { fields: listText(rest) })}
        </p>
      )}
      <TextField
        label={t("Name")}
        hint={t("The conversations are called so, with the day.")}
        value={name}
        placeholder={nameOf(asked.content)}
        errors={messagesAt(errors, "name")}
        onChange={(name) => setName([...name].slice(0, nameLength).join(""))}
      />
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
              setCadence({ ...cadence, kind, own: cadence.own || cron });
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
              onChange={(event) => setCadence({ ...cadence, weekday: Number(event.target.value) })}
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
              onChange={(event) => setCadence({ ...cadence, day: event.target.value })}
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
            errors={messagesAt(errors, "cron")}
            onChange={(own) => setCadence({ ...cadence, own })}
          />
        ) : (
          <div className="field">
            <label htmlFor={`${id}-time`}>{t("Time of day")}</label>
            <input
              id={`${id}-time`}
              type="time"
              className="input"
              value={cadence.time}
              onChange={(event) => setCadence({ ...cadence, time: event.target.value })}
            />
          </div>
        )}
        <TextField
          label={t("Time zone")}
          value={zone}
          list={`${id}-zones`}
          errors={messagesAt(errors, "time_zone")}
          onChange={setZone}
        />
        <datalist id={`${id}-zones`}>
          {zones().map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Preview cron={cron} zone={zone} />
      </fieldset>
      <TextField
        label={t("Budget in US dollars a month")}
        hint={t("What its runs may cost in a calendar month. Empty: no limit but your budgets.")}
        value={budget}
        numeric
        errors={messagesAt(errors, "budget_usd")}
        onChange={setBudget}
      />
      {problem && (errors.length === 0 || others.length > 0) && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", {
            message:
              others.length > 0
                ? listText(others.map(({ field, message }) => `${field} ${message}`))
                : sentence(problem.message),
          })}
        </Notice>
      )}
      <div className="schedule-actions">
        <button type="submit" className="button button-main" disabled={busy || inTheWay}>
          {busy ? t("Saving…") : action}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
