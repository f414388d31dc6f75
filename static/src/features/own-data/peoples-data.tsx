import "../../styles/own-data.css";
import { useState } from "react";
import { useKnownUsers } from "../../api/admin";
import { chooseRetention, liftHold, placeHold, useHolds, useRetention } from "../../api/own-data";
import { asProblem, type Problem } from "../../api/problem";
import { msg, t } from "../../i18n";
import { Notice } from "../../ui/notice";
import { toast } from "../../ui/toast";
import { timeOf } from "../admin/times";
import { complain } from "../conversations/changes";
import { Answered, Panel } from "../dashboard/panel";
import { messagesAt, TextField } from "../settings/fields";
import { AccessRequests } from "./access-requests";

export const usersListId = "own-data-users";

/** The names to choose from where somebody is named. */
function KnownUsers() {
  const users = useKnownUsers();
  return (
    <datalist id={usersListId}>
      {(users.data ?? []).map((user) => (
        <option key={user.id} value={user.id} />
      ))}
    </datalist>
  );
}

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

function HoldForm() {
  const [user, setUser] = useState("");
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const errors = problem?.fields ?? [];
  const place = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await placeHold(user.trim(), reason.trim());
      setUser("");
      setReason("");
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="own-data-form"
      aria-label={t("New hold")}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) place();
      }}
    >
      <TextField
        label={t("User")}
        value={user}
        list={usersListId}
        errors={messagesAt(errors, "user")}
        onChange={setUser}
      />
      <TextField
        label={t("Reason")}
        hint={t("For administrators; the user is told only that there is a hold.")}
        value={reason}
        errors={messagesAt(errors, "reason")}
        onChange={setReason}
      />
      {problem && problem.fields.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not placed: {{reason}}", { reason: problem.message })}
        </Notice>
      )}
      <button type="submit" className="button" disabled={busy}>
        {t("Place hold")}
      </button>
    </form>
  );
}

function Holds() {
  const holds = useHolds();
  return (
    <Panel
      title={t("Holds")}
      lead={t(
        "As long as there is a hold on somebody’s data, nothing of it is deleted for good: not by them, and not because its time is over.",
      )}
    >
      <Answered query={holds} failed={msg("The holds could not be read: {{reason}}")} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="quiet">{t("There are no holds.")}</p>
          ) : (
            <ul className="access-list">
              {rows.map((hold) => (
                <li key={hold.user}>
                  <p>
                    <strong>{hold.user}</strong>
                  </p>
                  <p className="access-reason" dir="auto">
                    {hold.reason}
                  </p>
                  <p className="access-facts">
                    {t("Placed by {{admin}} on {{time}}", {
                      admin: hold.placed_by,
                      time: timeOf(hold.placed_at),
                    })}
                  </p>
                  <button
                    type="button"
                    className="button"
                    aria-label={t("Lift the hold on {{user}}", { user: hold.user })}
                    onClick={() =>
                      liftHold(hold.user).catch(complain(msg("Not lifted: {{message}}")))
                    }
                  >
                    {t("Lift")}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
      <HoldForm />
    </Panel>
  );
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
