import { useState } from "react";
import { api } from "../../api/client";
import { keys, queryClient } from "../../api/queries";
import type { BudgetState, Caps } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { numberText } from "../../ui/numbers";
import { toast } from "../../ui/toast";
import { readForm } from "../../ui/wrong";
import { messagesAt, TextField } from "../settings/fields";
import { limitBounds } from "./limit";

const fields = [
  ["per_run_usd", "run", msg("For one question")],
  ["per_day_usd", "day", msg("For a day")],
  ["per_month_usd", "month", msg("For a month")],
] as const;

type Typed = Record<(typeof fields)[number][0], string>;

function capsOf(budgets: readonly BudgetState[]): Typed {
  const own = (period: BudgetState["period"]) =>
    budgets.find((one) => one.set_by === "oneself" && one.period === period)?.limit_usd;
  const text = (usd: number | undefined) => (usd === undefined ? "" : numberText(usd));
  return {
    per_run_usd: text(own("run")),
    per_day_usd: text(own("day")),
    per_month_usd: text(own("month")),
  };
}

/** Caps of one's own: what is empty is none. */
export function CapsForm({ budgets }: { budgets: readonly BudgetState[] }) {
  const saved = capsOf(budgets);
  // Only what was typed in: every other field shows what holds, whichever tab set it.
  const [edits, setEdits] = useState<Partial<Typed>>({});
  const { busy, problem, attempt, form } = useAttempt();
  const typed: Typed = { ...saved, ...edits };
  const changed = fields.filter(([field]) => typed[field].trim() !== saved[field]);

  const save = () => {
    if (changed.length === 0) return;
    attempt(async () => {
      // What was not changed is left alone: another tab may have.
      const caps: Partial<Caps> = {};
      const read = readForm();
      for (const [field] of changed)
        caps[field] = read.maybeNumber(field, typed[field], limitBounds);
      read.insist();
      const now = await api.saveCaps(caps);
      // One that was asked for before would bring what held then.
      await queryClient.cancelQueries({ queryKey: keys.budgets });
      queryClient.setQueryData(keys.budgets, now);
      // What was typed since then is an edit still.
      setEdits((newer) => {
        const left = fields.filter(([field]) => newer[field] !== edits[field]);
        return Object.fromEntries(left.map(([field]) => [field, newer[field]]));
      });
      toast(t("Your caps were saved."));
    });
  };

  return (
    <form
      ref={form}
      className="caps"
      aria-label={t("Caps of your own")}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h3>{t("Caps of your own")}</h3>
      <p className="quiet">
        {t(
          "In US dollars; leave empty for no cap. The budgets above still apply, so a cap only has an effect if it is lower.",
        )}
      </p>
      <div className="field-grid thresholds">
        {fields.map(([field, , label]) => (
          <TextField
            key={field}
            label={t(label)}
            numeric
            value={typed[field]}
            placeholder={t("No cap")}
            errors={messagesAt(problem?.fields ?? [], field)}
            onChange={(value) => setEdits((others) => ({ ...others, [field]: value }))}
          />
        ))}
      </div>
      {problem && problem.fields.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <button type="submit" className="button" aria-disabled={busy || changed.length === 0}>
        {busy ? t("Saving…") : t("Save caps")}
      </button>
    </form>
  );
}
