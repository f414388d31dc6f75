import "../styles/settings.css";
import "../styles/settings-form.css";
import "../styles/dashboard-lists.css";
import "../styles/schedules.css";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { makeSchedule, type ScheduleChange, useSchedules } from "../api/schedules";
import type { Ask } from "../api/types";
import { ScheduleForm } from "../features/schedules/form";
import { ScheduleRow } from "../features/schedules/row";
import { msg, t } from "../i18n";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";
import { toast } from "../ui/toast";

/** The question that led here, where one did. */
function questionIn(state: unknown): Partial<Ask> | null {
  if (typeof state !== "object" || state === null || !("question" in state)) return null;
  const { question } = state;
  return typeof question === "object" && question !== null ? (question as Partial<Ask>) : null;
}

/** Questions that are asked again and again. */
export default function SchedulesPage() {
  useTitle(t("Scheduled questions"));
  const list = useSchedules();
  const [path, go] = useLocation();
  const question = questionIn(useHistoryState<unknown>());
  const [adding, setAdding] = useState(question !== null);
  const page = useRef<HTMLDivElement>(null);
  const schedules = list.data?.schedules ?? [];
  const most = list.data?.most ?? 0;
  const hasRoom = schedules.length < most;

  /** What had the focus is gone: the way to another one is there, or the heading. */
  const toTheWayIn = () =>
    requestAnimationFrame(() => {
      const ways = [".schedule-add", "h1"];
      const found = ways.map((one) => page.current?.querySelector<HTMLElement>(one));
      found.find(Boolean)?.focus();
    });
  const open = () => {
    setAdding(true);
    requestAnimationFrame(() => page.current?.querySelector<HTMLElement>("form textarea")?.focus());
  };
  const close = () => {
    setAdding(false);
    // What led here is done with: another visit begins anew. Whoever has gone on to another page meanwhile stays there.
    if (question && location.pathname === path) go(path, { replace: true, state: null });
    toTheWayIn();
  };
  const add = async (wanted: ScheduleChange) => {
    await makeSchedule(wanted);
    toast(t("It will be asked as scheduled."));
    close();
  };
  return (
    <div ref={page} className="settings schedules-page">
      <h1 tabIndex={-1}>{t("Scheduled questions")}</h1>
      <p className="panel-lead">
        {t(
          "A question is asked again and again, each time in a conversation of its own, also while you are away. Your budgets hold for it as for any question.",
        )}
      </p>
      {list.isPending && <p className="quiet">{t("Loading scheduled questions…")}</p>}
      {list.isError && !list.data && (
        <ReadFailed
          text={msg("Scheduled questions could not be loaded: {{reason}}")}
          query={list}
        />
      )}
      {list.data && most === 0 && (
        <p className="quiet">{t("Scheduled questions are switched off on this server.")}</p>
      )}
      {adding && hasRoom && (
        <section className="panel" aria-label={t("New scheduled question")}>
          <ScheduleForm
            {...(question && { question })}
            label={t("New scheduled question")}
            action={t("Create schedule")}
            onSave={add}
            onCancel={close}
          />
        </section>
      )}
      {list.data && !adding && hasRoom && (
        <button type="button" className="button button-main schedule-add" onClick={open}>
          {t("New scheduled question")}
        </button>
      )}
      {list.data && most > 0 && schedules.length === 0 && !adding && (
        <p className="quiet">{t("Nothing is asked on a schedule yet.")}</p>
      )}
      {most > 0 && !hasRoom && (
        <p className="quiet">
          {t(
            "There can be {{count, number}} scheduled questions at most; delete one to add another.",
            {
              count: most,
            },
          )}
        </p>
      )}
      {schedules.length > 0 && (
        <ul className="schedules">
          {schedules.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} onRemoved={toTheWayIn} />
          ))}
        </ul>
      )}
    </div>
  );
}
