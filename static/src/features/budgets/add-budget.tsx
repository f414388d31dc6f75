import { useId, useState } from "react";
import { useKnownUsers } from "../../api/admin";
import type { BudgetChange } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { inWords, readForm } from "../../ui/wrong";
import { messagesAt, TextField } from "../settings/fields";
import { limitBounds } from "./limit";

type Scope = BudgetChange["scope"];
type Period = BudgetChange["period"];

const scopes: Record<Scope, string> = {
  instance: msg("Everybody together"),
  group: msg("A group"),
  user: msg("A user"),
};
const periods: Record<Period, string> = {
  run: msg("each question"),
  day: msg("each day"),
  month: msg("each month"),
};

function Select<T extends string>({
  label,
  names,
  value,
  onChange,
}: {
  label: string;
  names: Record<T, string>;
  value: T;
  onChange: (value: T) => void;
}) {
  const id = useId();
  const known = Object.keys(names) as T[];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="input"
        value={value}
        onChange={(event) => {
          const chosen = known.find((one) => one === event.target.value);
          if (chosen) onChange(chosen);
        }}
      >
        {known.map((one) => (
          <option key={one} value={one}>
            {t(names[one])}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The longest name of a user or a group. */
const nameLength = 255;
const limitField = "budgets.0.limit_usd";
const nameField = "budgets.0.name";

/** One more budget, or another limit for one that exists. */
export function AddBudget({ onAdd }: { onAdd: (budget: BudgetChange) => Promise<void> }) {
  const [scope, setScope] = useState<Scope>("user");
  const [name, setName] = useState("");
  const [period, setPeriod] = useState<Period>("day");
  const [limit, setLimit] = useState("");
  const { busy, problem, attempt, form } = useAttempt();
  const errors = problem?.fields ?? [];
  const id = useId();
  const known = useKnownUsers().data;
  const users = known ?? [];
  // While the name of somebody who was here is being typed, nothing is said.
  const typed = name.trim().toLowerCase();
  const isUnknown =
    scope === "user" && typed !== "" && known?.every((user) => !user.id.startsWith(typed)) === true;
  const add = () =>
    attempt(async () => {
      const read = readForm();
      const whose = scope === "instance" ? null : read.line(nameField, name, nameLength);
      const limit_usd = read.number(limitField, limit, limitBounds);
      read.insist();
      const unknown =
        scope === "user" ? t("This cannot be a user’s name.") : t("This cannot be a group’s name.");
      await inWords(onAdd({ scope, name: whose, period, limit_usd }), { [nameField]: unknown });
      setName("");
      setLimit("");
      toast(t("The budget was set."));
    });
  return (
    <form
      ref={form}
      className="budget-new"
      aria-label={t("New budget")}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <h3>{t("Set a budget")}</h3>
      <div className="field-grid budget-fields">
        <Select label={t("For")} names={scopes} value={scope} onChange={setScope} />
        {scope !== "instance" && (
          <TextField
            label={scope === "group" ? t("Group, as the proxy names it") : t("User")}
            value={name}
            list={scope === "user" ? `${id}-users` : undefined}
            errors={messagesAt(errors, nameField)}
            onChange={setName}
          />
        )}
        <Select label={t("Period")} names={periods} value={period} onChange={setPeriod} />
        <TextField
          label={t("At most, in US dollars")}
          numeric
          value={limit}
          errors={messagesAt(errors, limitField)}
          onChange={setLimit}
        />
      </div>
      <datalist id={`${id}-users`}>
        {users.map((user) => (
          <option key={user.id} value={user.id}>
            {user.name ?? user.email ?? ""}
          </option>
        ))}
      </datalist>
      <div role="status">
        {isUnknown && (
          <Notice tone="warn">
            {t(
              "Nobody called {{name}} has been here yet. Check the name: the budget holds from the first visit of whoever the proxy gives that name.",
              { name: name.trim() },
            )}
          </Notice>
        )}
      </div>
      {problem && errors.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not set: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <button type="submit" className="button" aria-disabled={busy}>
        {busy ? t("Saving…") : t("Set budget")}
      </button>
    </form>
  );
}
