import "../../styles/own-data.css";
import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { complain } from "../../ui/complain";
import { Notice } from "../../ui/notice";
import { Answered, Panel } from "../dashboard/panel";
import { messagesAt, TextField } from "../settings/fields";
import { usersListId } from "./known-users";

/** What an administrator has decided about a user, and why. */
export interface Decision {
  user: string;
  reason: string;
  /** Which administrator, and when. */
  facts: string;
}

/** All of them translated where they are read. */
interface Words {
  title: string;
  lead: string;
  failed: string;
  none: string;
  form: string;
  /** Who reads the reason. */
  hint: string;
  place: string;
  notPlaced: string;
  lift: string;
  /** For ears: whose it is. */
  liftOf: string;
  notLifted: string;
}

interface Deciding {
  words: Words;
  place: (user: string, reason: string) => Promise<unknown>;
  lift: (user: string) => Promise<unknown>;
}

function DecisionForm({ words, place }: Deciding) {
  const [user, setUser] = useState("");
  const [reason, setReason] = useState("");
  const { busy, problem, attempt } = useAttempt();
  const errors = problem?.fields ?? [];
  const decide = () =>
    attempt(async () => {
      await place(user.trim(), reason.trim());
      setUser("");
      setReason("");
    });
  return (
    <form
      className="own-data-form"
      aria-label={t(words.form)}
      onSubmit={(event) => {
        event.preventDefault();
        decide();
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
        hint={t(words.hint)}
        value={reason}
        errors={messagesAt(errors, "reason")}
        onChange={setReason}
      />
      {problem && problem.fields.length === 0 && (
        <Notice tone="bad" urgent>
          {t(words.notPlaced, { reason: problem.message })}
        </Notice>
      )}
      <button type="submit" className="button" disabled={busy}>
        {t(words.place)}
      </button>
    </form>
  );
}

/** What administrators have decided about users: each with a way to take it back, and a form for one more. */
export function Decisions({
  decisions,
  ...deciding
}: Deciding & { decisions: UseQueryResult<Decision[]> }) {
  const { words, lift } = deciding;
  return (
    <Panel title={t(words.title)} lead={t(words.lead)}>
      <Answered query={decisions} failed={words.failed} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="quiet">{t(words.none)}</p>
          ) : (
            <ul className="access-list">
              {rows.map(({ user, reason, facts }) => (
                <li key={user}>
                  <p>
                    <strong>{user}</strong>
                  </p>
                  <p className="access-reason" dir="auto">
                    {reason}
                  </p>
                  <p className="access-facts">{facts}</p>
                  <button
                    type="button"
                    className="button"
                    aria-label={t(words.liftOf, { user })}
                    onClick={() => lift(user).catch(complain(words.notLifted))}
                  >
                    {t(words.lift)}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
      <DecisionForm {...deciding} />
    </Panel>
  );
}
