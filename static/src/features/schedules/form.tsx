import { useState } from "react";
import { hasTimes, type Schedule, type ScheduleChange, useSchedules } from "../../api/schedules";
import type { Ask } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { count, listText, sentence } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { numberText } from "../../ui/numbers";
import { inWords, readForm, textProblem } from "../../ui/wrong";
import { writtenIn } from "../options/choices";
import { useOptions } from "../options/option-bar";
import { PresetPicker } from "../presets/preset-picker";
import { LongTextField, messagesAt, TextField } from "../settings/fields";
import { Leaving } from "../settings/leaving";
import { cadenceOf, cronOf, usual, zoneHere } from "./cadence";
import { askedIn, useAskedOf } from "./request";
import { timesWords, usePreview } from "./times";
import { When } from "./when";

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

/** The longest question and the longest name, in characters. */
const questionLength = 20_000;
const nameLength = 100;
/** In US dollars, for a month. */
const budgetBounds = { least: 0, most: 10_000_000, money: true };

/** What the page itself asks with besides; what else there is comes from programs, and has their name for it. */
const otherNames = new Map([
  ["chairman_model", msg("chairman")],
  ["models", msg("models")],
  ["project_id", msg("project")],
]);

/** A schedule's name until another is given: the first line of its question. */
const nameOf = (question: string) =>
  [...(question.trim().split("\n", 1)[0] ?? "").replace(/\p{Cc}+/gu, " ")].slice(0, 60).join("");

/** What is asked, when, and what it may cost. */
export function ScheduleForm({ schedule, question, label, action, onSave, onCancel }: Props) {
  const [asked, setAsked] = useState(() => askedIn(schedule?.request ?? question ?? {}));
  const [name, setName] = useState(schedule?.name ?? "");
  const [cadence, setCadence] = useState(() => (schedule ? cadenceOf(schedule.cron) : usual));
  const [zone, setZone] = useState(schedule?.time_zone ?? zoneHere());
  const [budget, setBudget] = useState(() =>
    typeof schedule?.budget_usd === "number" ? numberText(schedule.budget_usd) : "",
  );
  const written = JSON.stringify([asked, name, cadence, zone, budget]);
  const [begun] = useState(written);
  const { busy, problem, errors, mend, attempt, form } = useAttempt();
  const minutes = useSchedules().data?.min_interval_minutes;
  const { scene, presets, preset, request } = useAskedOf(asked);
  const { bar, panel } = useOptions({
    scene,
    question: asked.content,
    picker: presets && presets.length > 0 && (
      <PresetPicker
        presets={presets}
        chosen={preset?.id ?? null}
        usual={t("Your council")}
        onChange={(preset) => setAsked({ ...asked, preset, choices: writtenIn(asked.choices) })}
      />
    ),
    // Also called later, for what is brought back.
    onChange: (change) => setAsked((now) => ({ ...now, choices: { ...now.choices, ...change } })),
  });
  const refused = problem?.fields ?? [];
  // What no field of the form is for, such as an option that the server does not take.
  const shown = ["name", "request.content", "cron", "time", "time_zone", "budget_usd"];
  const others = refused.filter(({ field }) => !shown.includes(field));
  const cron = cronOf(cadence);
  const preview = usePreview(cron, zone);
  const rest = Object.keys(asked.others)
    .filter((one) => one !== "system_prompt")
    .map((one) => t(otherNames.get(one) ?? one));

  /** What is sent, once nothing is seen to be wrong with it. */
  const read = (): ScheduleChange => {
    const fields = readForm();
    const needed = (text: string) => textProblem(text, questionLength);
    fields.say("request.content", needed(asked.content));
    if (name.trim() !== "") fields.name("name", name, nameLength);
    fields.say(cadence.kind === "own" ? "cron" : "time", needed(cron));
    fields.say("time_zone", needed(zone));
    for (const { field, message } of preview.wrong) fields.say(field, message);
    const budget_usd = fields.maybeNumber("budget_usd", budget, budgetBounds);
    fields.insist();
    return {
      name: name.trim() || nameOf(asked.content),
      request,
      budget_usd,
      // Unchanged times are not sent as new ones.
      ...(cron !== schedule?.cron && { cron }),
      ...(zone.trim() !== schedule?.time_zone && { time_zone: zone.trim() }),
    };
  };
  /** What the server refuses, in the reader's words. */
  const words = async () => {
    const known: Record<string, string> = { ...timesWords(cron) };
    // An expression that can be read and has next times can only be wrong by coming due too often.
    if (minutes !== undefined && (await hasTimes(cron, zone.trim()))) {
      known.cron = t(
        "This is too often: at least {{minutes}} minutes have to lie between two times.",
        { minutes: count(minutes) },
      );
    }
    return known;
  };
  const save = () => attempt(async () => inWords(onSave(read()), words));

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
        onChange={(content) => {
          setAsked({ ...asked, content });
          mend("request.content");
        }}
      />
      {panel}
      <div className="composer-row schedule-options">{bar}</div>
      {asked.others.system_prompt && (
        <p className="field-hint">
          {t("With the system prompt: {{prompt}}", { prompt: asked.others.system_prompt })}
        </p>
      )}
      {rest.length > 0 && (
        <p className="field-hint">{t("Also asked for: {{fields}}", { fields: listText(rest) })}</p>
      )}
      <TextField
        label={t("Name")}
        hint={t("Each conversation gets this name and the day.")}
        value={name}
        placeholder={nameOf(asked.content)}
        errors={messagesAt(errors, "name")}
        onChange={(name) => {
          setName(name);
          mend("name");
        }}
      />
      <When
        cadence={cadence}
        zone={zone}
        preview={preview}
        errors={errors}
        onCadence={(cadence) => {
          setCadence(cadence);
          mend("cron", "time");
        }}
        onZone={(zone) => {
          setZone(zone);
          mend("time_zone");
        }}
      />
      <TextField
        label={t("Budget in US dollars a month")}
        hint={t("What its runs may cost in a calendar month. Empty: no limit but your budgets.")}
        value={budget}
        numeric
        errors={messagesAt(errors, "budget_usd")}
        onChange={(budget) => {
          setBudget(budget);
          mend("budget_usd");
        }}
      />
      {problem && (refused.length === 0 || others.length > 0) && (
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
        <button type="submit" className="button button-main" aria-disabled={busy}>
          {busy ? t("Saving…") : action}
        </button>
        <button type="button" className="button" onClick={onCancel}>
          {t("Cancel")}
        </button>
      </div>
      <Leaving
        active={written !== begun && !busy}
        save={save}
        discard={onCancel}
        text={t("What you wrote here is not saved yet.")}
      />
    </form>
  );
}
