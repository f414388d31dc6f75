import "../styles/run";
import "../styles/sharing.css";
import "../styles/projects.css";
import { useId, useState } from "react";
import { Link, useLocation } from "wouter";
import { asProblem } from "../api/problem";
import {
  copyFromProject,
  type ReadConversation,
  useProject,
  useReadConversation,
} from "../api/projects";
import { complain } from "../features/conversations/changes";
import { titleOf } from "../features/conversations/title";
import { ReadTurns } from "../features/sharing/read-turns";
import { msg, t } from "../i18n";
import { T } from "../i18n/t";
import { dateFormat, when } from "../ui/format";
import { Icon } from "../ui/icon";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";
import { Skeleton } from "./conversation";

const day = dateFormat({ dateStyle: "long" });

/** Makes a conversation of the reader's own out of it, and leads there. */
function GoOn({ project, shown }: { project: string; shown: ReadConversation }) {
  const [, go] = useLocation();
  const [busy, setBusy] = useState(false);
  const hint = useId();
  const copy = async () => {
    if (busy) return;
    setBusy(true);
    try {
      go(`/c/${(await copyFromProject(project, shown.id)).id}`);
    } catch (error) {
      complain(msg("Not copied: {{message}}"))(error);
      setBusy(false);
    }
  };
  if (shown.is_mine) {
    return (
      <Link href={`/c/${shown.id}`} className="button">
        {t("Open the conversation")}
      </Link>
    );
  }
  return (
    <>
      <button
        type="button"
        className="button button-main"
        aria-disabled={busy}
        aria-describedby={hint}
        onClick={copy}
      >
        {busy ? t("Copying…") : t("Continue with a copy")}
      </button>
      <p id={hint} className="quiet">
        {t("It is copied to your conversations. Files are not copied.")}
      </p>
    </>
  );
}

function Shown({ project, shown }: { project: string; shown: ReadConversation }) {
  const title = titleOf(shown);
  const name = useProject(project).data?.name;
  useTitle(title);
  return (
    <div className="conversation shared">
      <header className="shared-head">
        <h1 dir="auto">{title}</h1>
        <p className="quiet">
          <T
            text="By {{name}}, last changed on {{day}}"
            parts={{ name: <bdi>{shown.author}</bdi>, day: day(when(shown.updated_at)) }}
          />
        </p>
        {name !== undefined && (
          <Link href={`/p/${project}`} className="tag project-chip">
            <Icon name="folder" />
            <span dir="auto">{name}</span>
          </Link>
        )}
      </header>
      {shown.messages.length === 0 ? (
        <p className="quiet">{t("Nothing was asked here yet.")}</p>
      ) : (
        <ReadTurns shown={shown} />
      )}
      {shown.messages.length > 0 && (
        <div className="composer-dock shared-ways">
          <GoOn project={project} shown={shown} />
        </div>
      )}
    </div>
  );
}

/** Somebody's conversation in a project, to be read, and to be gone on with as one's own. */
export default function ProjectConversationPage({ id, cid }: { id: string; cid: string }) {
  const shown = useReadConversation(id, cid);
  const gone = asProblem(shown.error).status === 404;
  if (shown.data && !gone) return <Shown project={id} shown={shown.data} />;
  if (shown.isPending) return <Skeleton />;
  return (
    <div className="page-notice">
      {gone ? (
        <>
          <h1>{t("This conversation is not here")}</h1>
          <p>
            <T
              text="It is in this project no longer, or you are not. <link>Start a new conversation</link>."
              parts={{ link: (inner) => <Link href="/">{inner}</Link> }}
            />
          </p>
        </>
      ) : (
        <>
          <h1>{t("This conversation could not be loaded")}</h1>
          <ReadFailed text={msg("It could not be read: {{reason}}")} query={shown} />
        </>
      )}
    </div>
  );
}
