import "../../styles/own-data.css";
import { useState } from "react";
import { chooseRetention, liftHold, placeHold, useHolds, useRetention } from "../../api/own-data";
import { asProblem, type Problem } from "../../api/problem";
import { msg, t } from "../../i18n";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { Decisions } from "../admin/decisions";
import { KnownUsers, usersListId } from "../admin/known-users";
import { timeOf } from "../admin/times";
import { Answered, Panel } from "../dashboard/panel";
import { messagesAt, TextField } from "../settings/fields";
import { AccessRequests } from "./access-requests";

function RetentionForm({ days, configured }: { days: number | null; configured: number }) {
  const [typed, setTyped] = useState(days === null ? "" : String(days));
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
      const text = typed.trim();
      // What is no number the server refuses, in its own words.
      await chooseRetention(text === "" ? null : Number(text));
      toast(t("How long conversations are kept was saved."));
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="own-data-form"
      aria-label={t("How long conversations are kept")}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) save();
      }}
    >
      <TextField
        label={t("Days without activity")}
        hint={t(
          "0 keeps them for as long as their owners want; empty follows the configuration ({{days}}).",
          {
            days: String(configured),
          },
        )}
        numeric
        value={typed}
        errors={messagesAt(problem?.fields ?? [], "days")}
        onChange={setTyped}
      />
      {problem && problem.fields.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not saved: {{message}}", { message: problem.message })}
        </Notice>
      )}
      <button type="submit" className="button" disabled={busy}>
        {busy ? t("Saving…") : t("Save")}
      </button>
    </form>
  );
}

function Retention() {
  const rule = useRetention();
  return (
    <Panel
      title={t("How long conversations are kept")}
      lead={t(
        "Conversations in which nothing happens for so many days are deleted for good. People read of it in their settings, and a week before on the conversation; a new rule deletes nothing in its first week.",
      )}
    >
      <Answered query={rule} failed={msg("The rule could not be read: {{reason}}")} lines={2}>
        {(data) => (
          <>
            <p>
              {data.days > 0
                ? t("In force: {{count, number}} days", { count: data.days })
                : t("In force: conversations are kept until their owners delete them.")}
            </p>
            <RetentionForm
              key={String(data.chosen_days)}
              days={data.chosen_days ?? null}
              configured={data.configured_days}
            />
          </>
        )}
      </Answered>
    </Panel>
  );
}

const holdWords = {
  title: msg("Holds"),
  lead: msg(
    "As long as there is a hold on somebody’s data, nothing of it is deleted for good: not by them, and not because its time is over.",
  ),
  failed: msg("The holds could not be read: {{reason}}"),
  none: msg("There are no holds."),
  form: msg("New hold"),
  hint: msg("For administrators; the user is told only that there is a hold."),
  place: msg("Place hold"),
  notPlaced: msg("Not placed: {{reason}}"),
  lift: msg("Lift"),
  liftOf: msg("Lift the hold on {{user}}"),
  notLifted: msg("Not lifted: {{message}}"),
};

function Holds() {
  const holds = useHolds((hold) => ({
    user: hold.user,
    reason: hold.reason,
    facts: t("Placed by {{admin}} on {{time}}", {
      admin: hold.placed_by,
      time: timeOf(hold.placed_at),
    }),
  }));
  return <Decisions words={holdWords} decisions={holds} place={placeHold} lift={liftHold} />;
}

/** How long it is kept, what holds it, and who may look at it. */
export function PeoplesData() {
  return (
    <>
      <KnownUsers />
      <Retention />
      <Holds />
      <AccessRequests list={usersListId} />
    </>
  );
}
