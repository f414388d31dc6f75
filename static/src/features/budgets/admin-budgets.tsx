import "../../styles/settings.css";
import "../../styles/budgets.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client";
import { keys, queryClient } from "../../api/queries";
import type { AdminBudgets, BudgetChange, BudgetState } from "../../api/types";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { listText, money } from "../../ui/format";
import { useKeptFocus } from "../../ui/kept-focus";
import { MoreButton } from "../../ui/more-button";
import { Notice } from "../../ui/notice";
import { numberText } from "../../ui/numbers";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";
import { readForm } from "../../ui/wrong";
import { messagesAt, TextField } from "../settings/fields";
import { AddBudget } from "./add-budget";
import { BudgetFigures, keyOf } from "./budget-notice";
import { limitBounds } from "./limit";

const pageSize = 100;

const titles: Record<BudgetState["scope"], Record<BudgetState["period"], string>> = {
  instance: {
    run: msg("Everybody together, each question"),
    day: msg("Everybody together, today"),
    month: msg("Everybody together, this month"),
  },
  group: {
    run: msg("Group “{{name}}”, each question"),
    day: msg("Group “{{name}}”, today"),
    month: msg("Group “{{name}}”, this month"),
  },
  user: {
    run: msg("{{name}}, each question"),
    day: msg("{{name}}, today"),
    month: msg("{{name}}, this month"),
  },
};

const titleOf = ({ scope, period, name }: BudgetState) =>
  t(titles[scope][period], { name: name ?? "" });

/** Sets one budget, and shows what the server has then. */
async function change(budget: BudgetChange) {
  const first = await api.changeBudgets([budget]);
  // One that was asked for before would bring what held then.
  await queryClient.cancelQueries({ queryKey: keys.adminBudgets });
  queryClient.setQueryData(keys.adminBudgets, { pages: [first], pageParams: [0] });
}

const sentOf = ({ scope, name, period }: BudgetState, limit_usd: BudgetChange["limit_usd"]) => ({
  scope,
  name: name ?? null,
  period,
  limit_usd,
});

const limitField = "budgets.0.limit_usd";

function Limit({ budget, onDone }: { budget: BudgetState; onDone: () => void }) {
  const [typed, setTyped] = useState(() => numberText(budget.limit_usd));
  const { busy, problem, attempt, form } = useAttempt();
  const save = () =>
    attempt(async () => {
      const read = readForm();
      const limit = read.number(limitField, typed, limitBounds);
      read.insist();
      await change(sentOf(budget, limit));
      toast(t("The budget was changed."));
      onDone();
    });
  const errors = messagesAt(problem?.fields ?? [], limitField);
  return (
    <form
      ref={form}
      className="budget-limit"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => event.key === "Escape" && onDone()}
    >
      <TextField
        label={
          <>
            <span aria-hidden="true">{t("New limit in US dollars")}</span>
            <span className="visually-hidden">
              {t("New limit in US dollars for {{budget}}", { budget: titleOf(budget) })}
            </span>
          </>
        }
        numeric
        value={typed}
        errors={errors}
        onChange={setTyped}
      />
      <button type="submit" className="button" aria-disabled={busy}>
        {busy ? t("Saving…") : t("Save")}
      </button>
      <button type="button" className="quiet-button" onClick={onDone}>
        {t("Cancel")}
      </button>
      {problem && errors.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not changed: {{message}}", { message: problem.message })}
        </Notice>
      )}
    </form>
  );
}

function Row({ budget }: { budget: BudgetState }) {
  const [asked, setAsked] = useState<"change" | "remove" | null>(null);
  const { busy, attempt } = useAttempt();
  const kept = useKeptFocus<HTMLLIElement>();
  const name = titleOf(budget);
  const remove = () =>
    attempt(async () => {
      await change(sentOf(budget, null));
      toast(t("The budget was removed."));
    }, msg("Not removed: {{message}}"));
  return (
    <li {...kept}>
      <div className="budget-row">
        <BudgetFigures budget={budget} name={name} />
        <div className="budget-actions">
          {budget.set_by === "config" && <span className="badge">{t("configuration")}</span>}
          <button
            type="button"
            className="button"
            aria-label={t("Change: {{budget}}", { budget: name })}
            aria-expanded={asked === "change"}
            onClick={() => setAsked(asked === "change" ? null : "change")}
          >
            {t("Change")}
          </button>
          {budget.set_by === "admin" && (
            <button
              type="button"
              className="button"
              aria-label={t("Remove: {{budget}}", { budget: name })}
              aria-disabled={busy}
              onClick={() => setAsked("remove")}
            >
              {t("Remove")}
            </button>
          )}
        </div>
      </div>
      {asked === "change" && <Limit budget={budget} onDone={() => setAsked(null)} />}
      {asked === "remove" && (
        <Confirm
          title={t("Remove this budget?")}
          actions={[
            {
              label: t("Remove"),
              tone: "danger",
              run: () => {
                setAsked(null);
                remove();
              },
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(null)}
        >
          <p>{t("“{{budget}}” no longer limits what is spent.", { budget: name })}</p>
        </Confirm>
      )}
    </li>
  );
}

/** What the configuration sets for everybody who has no budget of their own. */
function Defaults({ defaults }: Pick<AdminBudgets, "defaults">) {
  const parts = [
    [defaults.per_run_usd, msg("{{sum}} for each question")],
    [defaults.user_per_day_usd, msg("{{sum}} for each user’s day")],
    [defaults.user_per_month_usd, msg("{{sum}} for each user’s month")],
  ] as const;
  const set = parts.filter(([usd]) => usd !== null && usd !== undefined);
  if (set.length === 0) return null;
  return (
    <p className="quiet">
      {t("From the configuration: {{budgets}}. A budget set here takes its place.", {
        budgets: listText(set.map(([usd, what]) => t(what, { sum: money(usd) }))),
      })}
    </p>
  );
}

/** The budgets of the server, of groups and of users, for admins. */
export default function AdminBudgetEditor() {
  const list = useInfiniteQuery({
    queryKey: keys.adminBudgets,
    queryFn: ({ pageParam }) => api.adminBudgets(pageParam, pageSize),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.budgets.filter((one) => one.set_by === "admin").length < pageSize
        ? undefined
        : pages.length * pageSize,
    // Each look is noted in the audit log, so none is made in passing.
    refetchOnWindowFocus: false,
  });
  const budgets = list.data?.pages.flatMap((page) => page.budgets) ?? [];
  const defaults = list.data?.pages[0]?.defaults;
  const kept = useKeptFocus<HTMLElement>();
  return (
    <section {...kept} className="panel" aria-labelledby="admin-budgets-title">
      <h2 id="admin-budgets-title">{t("Budgets")}</h2>
      <p className="panel-lead">
        {t(
          "What everybody together, a group or a user may spend. A question is refused unless it fits every budget that applies to it.",
        )}
      </p>
      {list.isPending && <p className="quiet">{t("Loading budgets…")}</p>}
      {list.isError && (
        <ReadFailed text={msg("Budgets could not be loaded: {{reason}}")} query={list} />
      )}
      {defaults && <Defaults defaults={defaults} />}
      {list.data && budgets.length === 0 && <p className="quiet">{t("No budget is set.")}</p>}
      {budgets.length > 0 && (
        <ul className="budgets">
          {budgets.map((budget) => (
            <Row key={keyOf(budget)} budget={budget} />
          ))}
        </ul>
      )}
      <MoreButton list={list} label={t("Show more")} />
      {list.data && <AddBudget onAdd={change} />}
    </section>
  );
}
