import { useId, useState } from "react";
import { makeShare, type Share } from "../../api/shares";
import type { Conversation, ConversationSummary } from "../../api/types";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";

const lifetimes = [7, 30, 90];
const usual = 30;

/** For how long a link can work; longer times are cut to the server's longest. */
const lifetimesUpTo = (most: number) => [...new Set(lifetimes.map((days) => Math.min(days, most)))];

/** What is shared: the branch that ends with the last of these messages, or the one that its author looked at last. */
export type Shareable = Pick<ConversationSummary, "id" | "project_id"> &
  Partial<Pick<Conversation, "messages">>;

interface Props {
  conversation: Shareable;
  /** The most days that a link can work. */
  most: number;
  onMade: (share: Share) => void;
}

/** Makes a link to the branch that is shown. */
export function ShareForm({ conversation, most, onMade }: Props) {
  const id = useId();
  const [days, setDays] = useState(Math.min(usual, most));
  const { busy, problem, attempt } = useAttempt();
  const make = async () => {
    // Said by the page: another tab may look at another branch.
    const end = conversation.messages?.at(-1)?.id;
    await attempt(async () => {
      onMade(await makeShare(conversation.id, end ? { branch_end: end, days } : { days }));
    });
  };
  return (
    <form
      className="share-form"
      aria-label={t("New link")}
      onSubmit={(event) => {
        event.preventDefault();
        make();
      }}
    >
      <div className="share-days">
        <label htmlFor={id}>{t("The link works for")}</label>
        <select
          id={id}
          className="input"
          value={days}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {lifetimesUpTo(most).map((value) => (
            <option key={value} value={value}>
              {t("{{count, number}} days", { count: value })}
            </option>
          ))}
        </select>
      </div>
      <button type="submit" className="button button-main share-make" aria-disabled={busy}>
        {busy ? t("Making…") : t("Create link")}
      </button>
      {problem && (
        <Notice tone="bad" urgent>
          {t("Not made: {{reason}}", { reason: problem.message })}
        </Notice>
      )}
    </form>
  );
}
