import "../../styles/own-data.css";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { Notice } from "../../ui/notice";
import { inWords, readForm } from "../../ui/wrong";
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

/** What is asked before something is done: texts with a gap for the `user`. */
interface Question {
  title: string;
  text: string;
  cancel: string;
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
  /** Said where the user is unknown. */
  unknown: string;
  /** Said where it has been decided already. */
  already: string;
  lift: string;
  /** For screen readers: whose it is. */
  liftOf: string;
  notLifted: string;
  /** Asked first, where the decision does more than it seems to. */
  asksPlace?: Question;
  asksLift?: Question;
}

/** A decision that was begun elsewhere on the page, each time a new object: what is still missing is why. */
export interface Begun {
  user: string;
}

interface Deciding {
  words: Words;
  place: (user: string, reason: string) => Promise<unknown>;
  lift: (user: string) => Promise<unknown>;
}

/** The longest reason, in characters, and name. */
const reasonLength = 1000;
const nameLength = 255;

function Ask({
  question,
  user,
  yes,
  onYes,
  onCancel,
}: {
  question: Question;
  user: string;
  yes: string;
  onYes: () => void;
  onCancel: () => void;
}) {
  return (
    <Confirm
      title={t(question.title, { user })}
      cancel={t(question.cancel)}
      onCancel={onCancel}
      actions={[{ label: t(yes), tone: "danger", run: onYes }]}
    >
      <p>{t(question.text)}</p>
    </Confirm>
  );
}

interface FormProps extends Deciding {
  known: readonly Decision[];
  begun: Begun | null;
}

function DecisionForm({ words, place, known, begun }: FormProps) {
  const [user, setUser] = useState("");
  const [reason, setReason] = useState("");
  const [asked, setAsked] = useState(false);
  const { busy, problem, attempt, form } = useAttempt();
  const errors = problem?.fields ?? [];
  const { asksPlace } = words;
  useEffect(() => {
    if (!begun) return;
    setUser(begun.user);
    [...(form.current?.querySelectorAll("input") ?? [])].at(-1)?.focus();
  }, [begun, form]);
  /** What is decided, once nothing is seen to be wrong with it. */
  const read = () => {
    const fields = readForm();
    const whose = fields.line("user", user, nameLength);
    const why = fields.line("reason", reason, reasonLength);
    if (known.some((one) => one.user === whose.toLowerCase())) {
      fields.say("user", t(words.already));
    }
    fields.insist();
    return [whose, why] as const;
  };
  const decide = () =>
    attempt(async () => {
      await inWords(place(...read()), { user: t(words.unknown) });
      setUser("");
      setReason("");
    });
  const submit = async () => {
    if (!asksPlace) return decide();
    if (await attempt(async () => read())) setAsked(true);
  };
  return (
    <form
      ref={form}
      className="own-data-form"
      aria-label={t(words.form)}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
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
      <button type="submit" className="button" aria-disabled={busy}>
        {t(words.place)}
      </button>
      {asked && asksPlace && (
        <Ask
          question={asksPlace}
          user={user.trim()}
          yes={words.place}
          onCancel={() => setAsked(false)}
          onYes={() => {
            setAsked(false);
            decide();
          }}
        />
      )}
    </form>
  );
}

function Row({ words, lift, user, reason, facts }: Deciding & Decision) {
  const [asked, setAsked] = useState(false);
  const { busy, attempt } = useAttempt();
  const { asksLift } = words;
  const take = () => attempt(() => lift(user), words.notLifted);
  return (
    <li>
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
        aria-disabled={busy}
        onClick={() => (asksLift ? setAsked(true) : take())}
      >
        {t(words.lift)}
      </button>
      {asked && asksLift && (
        <Ask
          question={asksLift}
          user={user}
          yes={words.lift}
          onCancel={() => setAsked(false)}
          onYes={() => {
            setAsked(false);
            take();
          }}
        />
      )}
    </li>
  );
}

/** What administrators have decided about users: each with a way to take it back, and a form for one more. */
export function Decisions({
  decisions,
  begun = null,
  ...deciding
}: Deciding & { decisions: UseQueryResult<Decision[]>; begun?: Begun | null }) {
  const { words } = deciding;
  return (
    <Panel title={t(words.title)} lead={t(words.lead)}>
      <Answered query={decisions} failed={words.failed} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="quiet">{t(words.none)}</p>
          ) : (
            <ul className="access-list">
              {rows.map((decision) => (
                <Row key={decision.user} {...deciding} {...decision} />
              ))}
            </ul>
          )
        }
      </Answered>
      <DecisionForm {...deciding} known={decisions.data ?? []} begun={begun} />
    </Panel>
  );
}
