import { useId, useState } from "react";
import type { ProjectSummary } from "../../api/projects";
import { makeShare, type Share } from "../../api/shares";
import type { Conversation, ConversationSummary } from "../../api/types";
import { t } from "../../i18n";
import { isLive } from "../../run/state";
import { useAttempt } from "../../ui/attempt";
import { Notice } from "../../ui/notice";
import { useLiveRuns } from "../asking/runs";

const lifetimes = [7, 30, 90];
const usual = 30;
/** In the place of a project: everybody who is signed in and has the link. */
const everybody = "";

/** For how long a link can work; longer times are cut to the server's longest. */
const lifetimesUpTo = (most: number) => [...new Set(lifetimes.map((days) => Math.min(days, most)))];

/** What is shared: the branch that ends with the last of these messages, or the one that its author looked at last. */
export type Shareable = Pick<ConversationSummary, "id" | "project_id"> &
  Partial<Pick<Conversation, "messages">>;

/** Whether what would be shared is being written: the server refuses that. */
function useIsWritten({ id, messages }: Shareable): boolean {
  const live = useLiveRuns(({ runs }) => {
    const run = runs[id]?.run;
    return run ? isLive(run) : false;
  });
  const last = messages?.at(-1);
  // A branch that has its answer can be shared while another, or a later one, is written.
  const isWhole =
    last?.role === "assistant" && last.status !== "running" && last.status !== "queued";
  return live && !isWhole;
}

interface Props {
  conversation: Shareable;
  /** The most days that a link can work. */
  most: number;
  /** The projects that the reader is in: a link can be for the members of one alone. */
  projects: readonly ProjectSummary[];
  onMade: (share: Share) => void;
}

/** Makes a link to the branch that is shown. */
export function ShareForm({ conversation, most, projects, onMade }: Props) {
  const id = useId();
  const own = projects.find((project) => project.id === conversation.project_id);
  const [chosen, choose] = useState<string | null>(null);
  const audience = chosen ?? own?.id ?? everybody;
  const [days, setDays] = useState(Math.min(usual, most));
  const { busy, problem, attempt } = useAttempt();
  const isWritten = useIsWritten(conversation);
  const make = async () => {
    if (isWritten) return;
    // Said by the page: another tab may look at another branch.
    const end = conversation.messages?.at(-1)?.id;
    await attempt(async () => {
      const wanted = {
        ...(end ? { branch_end: end } : {}),
        ...(audience === everybody ? {} : { project_id: audience }),
        days,
      };
      onMade(await makeShare(conversation.id, wanted));
    });
  };
  const membersOf = (project: ProjectSummary) => (
    <option key={project.id} value={project.id}>
      {t("Members of {{project}}", { project: project.name })}
    </option>
  );
  return (
    <form
      className="share-form"
      aria-label={t("New link")}
      onSubmit={(event) => {
        event.preventDefault();
        make();
      }}
    >
      {projects.length > 0 && (
        <div className="share-field share-audience">
          <label htmlFor={`${id}-audience`}>{t("The link is for")}</label>
          <select
            id={`${id}-audience`}
            className="input"
            value={audience}
            onChange={(event) => choose(event.target.value)}
          >
            {own && membersOf(own)}
            <option value={everybody}>{t("Everybody who is signed in and has the link")}</option>
            {projects.filter((project) => project !== own).map(membersOf)}
          </select>
        </div>
      )}
      <div className="share-field">
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
      <button
        type="submit"
        className="button button-main share-make"
        aria-disabled={busy || isWritten}
        aria-describedby={isWritten ? `${id}-why` : undefined}
      >
        {busy ? t("Creating…") : t("Create link")}
      </button>
      {isWritten && (
        <p id={`${id}-why`} className="field-hint">
          {t("Wait until the answer is written.")}
        </p>
      )}
      {problem && (
        <Notice tone="bad" urgent>
          {t("Not created: {{reason}}", { reason: problem.message })}
        </Notice>
      )}
    </form>
  );
}
