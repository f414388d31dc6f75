import { useId, useState } from "react";
import { t } from "../../i18n";
import { Choice } from "./choice";
import { dayOf, isDay, presets, type Span, spanError, spanOf } from "./span";

function presetName(preset: Span["preset"]): string {
  if (preset === "custom") return t("Custom");
  if (preset === "all") return t("All");
  return t("{{count, number}} days", { count: Number(preset) });
}

/** The day in a box; none while it is half a date. */
const read = (day: string) => (isDay(day) ? day : null);

/** Which days are counted: a preset, or two days of one's own. */
export function RangeBar({ span, onChoose }: { span: Span; onChoose: (span: Span) => void }) {
  const id = useId();
  const today = dayOf(new Date());
  // Typed apart from what is asked for: half a date is none.
  const [typed, setTyped] = useState({ from: span.from ?? "", until: span.until ?? "" });
  // It may also come from the address: by a link, or when going back.
  const [before, setBefore] = useState(span);
  if (span.from !== before.from || span.until !== before.until) {
    setBefore(span);
    const isTyped = read(typed.from) === span.from && read(typed.until) === span.until;
    if (!isTyped) setTyped({ from: span.from ?? "", until: span.until ?? "" });
  }
  const custom = span.preset === "custom";
  const error = spanError(span);

  const type = (patch: Partial<typeof typed>) => {
    const next = { ...typed, ...patch };
    setTyped(next);
    const [from, until] = [read(next.from), read(next.until)];
    if (from !== null || until !== null) onChoose({ preset: "custom", from, until });
  };
  const box = (name: "from" | "until", label: string) => (
    <span className="range-day">
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <input
        id={`${id}-${name}`}
        type="date"
        className="input"
        max={today}
        value={typed[name]}
        aria-invalid={error !== null}
        aria-describedby={error ? `${id}-error` : undefined}
        onChange={(event) => type({ [name]: event.target.value })}
      />
    </span>
  );
  return (
    <div className="range">
      <Choice
        label={t("Days to count")}
        options={[...presets, "custom" as const].map((preset) => [preset, presetName(preset)])}
        value={span.preset}
        onChoose={(preset) => {
          if (preset !== "custom") return onChoose(spanOf(preset, today));
          const from = span.from ?? spanOf("30", today).from;
          const until = span.until ?? today;
          setTyped({ from: from ?? "", until });
          onChoose({ preset, from, until });
        }}
      />
      {custom && (
        <fieldset className="range-days" aria-label={t("Custom range")}>
          {box("from", t("From"))}
          {box("until", t("to"))}
        </fieldset>
      )}
      {error && (
        <p id={`${id}-error`} className="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
