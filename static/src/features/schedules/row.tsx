import { useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { askNow, changeSchedule, removeSchedule, type Schedule } from "../../api/schedules";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { money } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { MenuButton } from "../../ui/menu";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { wordsOf } from "./cadence";
import { ScheduleForm } from "./form";
import { Result, Results } from "./results";
import { NextTimes } from "./times";

/** When it is asked, and what that has cost. */
function factsOf({ cron, budget_usd: budget, spent_usd: spent }: Schedule): string {
  const facts = [wordsOf(cron)];
  if (typeof budget === "number") {
    const sums = { spent: money(spent), budget: money(budget) };
    facts.push(t("{{spent}} of {{budget}} this month", sums));
  } else if (spent > 0) {
    facts.push(t("{{spent}} this month", { spent: money(spent) }));
  }
  return facts.join(" · ");
}

/** One schedule, with what can be done about it. */
export function ScheduleRow({
  schedule,
  onRemoved,
}: {
  schedule: Schedule;
  onRemoved: () => void;
}) {
  const { id, name, paused, paused_fact: fact, last_result: last } = schedule;
  const [, go] = useLocation();
  const [changing, setChanging] = useState(false);
  const [listing, setListing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const { busy, attempt } = useAttempt();
  const change = useRef<HTMLButtonElement>(null);
  const title = useId();

  /** Does something, and says what became of it. */
  const does = (act: () => Promise<void>) => attempt(act, msg("Not done: {{message}}"));
  const ask = () =>
    does(async () => {
      const { conversation_id: conversation } = await askNow(id);
      toast(t("It is being asked."), {
        action: { label: t("Open"), run: () => go(`/c/${conversation}`) },
      });
    });
  const turn = () =>
    does(async () => {
      await changeSchedule(id, { paused: !paused });
      toast(paused ? t("It goes on at the next scheduled time.") : t("It is paused."));
    });
  const remove = () =>
    does(async () => {
      setChanging(false);
      setListing(false);
      await removeSchedule(id);
      toast(t("The schedule was deleted."));
      onRemoved();
    });
  const closeForm = () => {
    setChanging(false);
    change.current?.focus();
  };

  return (
    <li className="panel schedule" aria-labelledby={title}>
      <div className="schedule-head">
        <h2 id={title} dir="auto">
          {name}
        </h2>
        {paused && <span className="badge badge-none">{t("paused")}</span>}
        <MenuButton
          className="icon-button"
          label={t("More for {{name}}", { name })}
          align="end"
          items={[
            { label: t("Delete…"), icon: "trash", tone: "bad", run: () => setRemoving(true) },
          ]}
        >
          <Icon name="more" />
        </MenuButton>
      </div>
      <p dir="auto" className="schedule-question">
        {schedule.request.content}
      </p>
      <span className="schedule-facts">{factsOf(schedule)}</span>
      {!paused && <NextTimes times={schedule.next_times} zone={schedule.time_zone} />}
      {fact && (
        <Notice tone="warn">
          {fact?.code === "refused" &&
            t(
              "It is paused: nothing could be asked {{times}} times in a row. The last result says why. Resume it when that is fixed.",
              { times: fact.times },
            )}
          {fact?.code === "no_next_time" &&
            t(
              "It is paused: there is no next time at which it could be asked. Change when it is asked.",
            )}
        </Notice>
      )}
      {last && !listing && (
        <div className="schedule-last">
          <Result result={last} />
        </div>
      )}
      <div className="schedule-actions">
        <button
          type="button"
          className="quiet-button"
          aria-expanded={listing}
          onClick={() => setListing(!listing)}
        >
          <Icon name="chevron" />
          {t("Results")}
        </button>
        <button type="button" className="quiet-button" aria-disabled={busy} onClick={ask}>
          {t("Ask now")}
        </button>
        <button type="button" className="quiet-button" aria-disabled={busy} onClick={turn}>
          {paused ? t("Resume") : t("Pause")}
        </button>
        <button
          ref={change}
          type="button"
          className="quiet-button"
          aria-expanded={changing}
          onClick={() => setChanging(!changing)}
        >
          {t("Change")}
        </button>
      </div>
      {changing && (
        <ScheduleForm
          schedule={schedule}
          label={t("Change {{name}}", { name })}
          action={t("Save")}
          onCancel={closeForm}
          onSave={async (wanted) => {
            await changeSchedule(id, wanted);
            toast(t("The schedule was changed."));
            closeForm();
          }}
        />
      )}
      {listing && <Results schedule={id} />}
      {removing && (
        <Confirm
          title={t("Delete this schedule?")}
          cancel={t("Keep it")}
          onCancel={() => setRemoving(false)}
          actions={[
            {
              label: t("Delete"),
              tone: "danger",
              run: () => {
                setRemoving(false);
                remove();
              },
            },
          ]}
        >
          <p>
            {t(
              "“{{name}}” is not asked again, and its results are deleted. The conversations stay.",
              { name },
            )}
          </p>
        </Confirm>
      )}
    </li>
  );
}
