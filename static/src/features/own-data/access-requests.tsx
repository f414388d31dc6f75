import { useState } from "react";
import type { Access } from "../../api/own-data";
import {
  approveAccess,
  askForAccess,
  revokeAccess,
  useAccessRequests,
} from "../../api/peoples-data";
import { useUser } from "../../api/queries";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { Details } from "../../ui/disclosure";
import { MoreButton } from "../../ui/more-button";
import { Notice } from "../../ui/notice";
import { inWords, readForm } from "../../ui/wrong";
import { Answered, Panel } from "../dashboard/panel";
import { messagesAt, TextField } from "../settings/fields";
import { AccessFacts, Reads } from "./access-log";
import { Reading } from "./reading";

/** What the server takes. */
const lengths = { user: 255, reason: 1000 };
const hoursBounds = { least: 1, most: 24, whole: true };

function AskForm({ list }: { list: string }) {
  const [user, setUser] = useState("");
  const [reason, setReason] = useState("");
  const [hours, setHours] = useState("2");
  const { busy, problem, attempt, form } = useAttempt();
  const errors = problem?.fields ?? [];
  const ask = () =>
    attempt(async () => {
      const read = readForm();
      const whose = read.line("user", user, lengths.user);
      const why = read.line("reason", reason, lengths.reason);
      const long = read.number("hours", hours, hoursBounds);
      read.insist();
      await inWords(askForAccess(whose, why, long), {
        user: t("This has to be the user id of somebody else who has been here."),
      });
      setUser("");
      setReason("");
    });
  return (
    <form
      ref={form}
      className="own-data-form"
      aria-label={t("New request")}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <TextField
        label={t("User")}
        value={user}
        list={list}
        errors={messagesAt(errors, "user")}
        onChange={setUser}
      />
      <TextField
        label={t("Reason")}
        hint={t("The user reads it once another administrator has approved the request.")}
        value={reason}
        errors={messagesAt(errors, "reason")}
        onChange={setReason}
      />
      <TextField
        label={t("Hours")}
        hint={t("1 to 24, from the approval on.")}
        numeric
        value={hours}
        errors={messagesAt(errors, "hours")}
        onChange={setHours}
      />
      {problem && problem.fields.length === 0 && (
        <Notice tone="bad" urgent>
          {t("Not asked for: {{reason}}", { reason: problem.message })}
        </Notice>
      )}
      <button type="submit" className="button" aria-disabled={busy}>
        {t("Ask for access")}
      </button>
    </form>
  );
}

function Request({ access, me }: { access: Access; me: string }) {
  const { busy, attempt } = useAttempt();
  const [asked, setAsked] = useState(false);
  const end = () => attempt(() => revokeAccess(access.id), msg("Not ended: {{message}}"));
  const waits = !access.approved_at && !access.revoked_at;
  const mayRead = access.is_open && [access.requested_by, access.approved_by].includes(me);
  return (
    <li>
      <p>
        <strong>{access.user}</strong>
      </p>
      <AccessFacts access={access} />
      {access.approved_at && <Reads access={access} linked={false} />}
      {mayRead && (
        <Details title={t("Read the conversations of {{user}}", { user: access.user })}>
          {() => <Reading access={access} />}
        </Details>
      )}
      <p className="erase-actions">
        {waits && access.requested_by !== me && access.user !== me && (
          <button
            type="button"
            className="button"
            aria-label={t("Approve the access to {{user}}", { user: access.user })}
            aria-disabled={busy}
            onClick={() =>
              attempt(() => approveAccess(access.id), msg("Not approved: {{message}}"))
            }
          >
            {t("Approve")}
          </button>
        )}
        {(waits || access.is_open) && (
          <button
            type="button"
            className="button"
            aria-label={t("End it: {{user}}", { user: access.user })}
            aria-disabled={busy}
            onClick={() => setAsked(true)}
          >
            {t("End it")}
          </button>
        )}
      </p>
      {asked && (
        <Confirm
          title={t("End the access to {{user}}?", { user: access.user })}
          actions={[
            {
              label: t("End it"),
              tone: "danger",
              run: () => {
                setAsked(false);
                end();
              },
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(false)}
        >
          <p>{t("It cannot be opened again: that takes a new request and a new approval.")}</p>
        </Confirm>
      )}
    </li>
  );
}

/**
 * Reading another user's conversations: two administrators together, for some hours, and the user
 * is told.
 */
export function AccessRequests({ list }: { list: string }) {
  const requests = useAccessRequests();
  const user = useUser();
  return (
    <Panel
      title={t("Access to conversations")}
      lead={t(
        "Where there is no other way, two administrators together can read somebody’s conversations for some hours: one asks, another one approves. Each look is recorded, and the user sees who looked, why, when and at what.",
      )}
    >
      <Answered
        query={requests}
        failed={msg("The requests could not be loaded: {{reason}}")}
        lines={2}
      >
        {({ pages }) => {
          const rows = new Map(
            pages.flatMap(({ items }) => items).map((access) => [access.id, access]),
          );
          if (rows.size === 0) {
            return <p className="quiet">{t("Nobody has asked for access.")}</p>;
          }
          return (
            <>
              <ul className="access-list">
                {[...rows.values()].map((access) => (
                  <Request key={access.id} access={access} me={user.data?.id ?? ""} />
                ))}
              </ul>
              <MoreButton list={requests} label={t("Show more")} />
            </>
          );
        }}
      </Answered>
      <AskForm list={list} />
    </Panel>
  );
}
