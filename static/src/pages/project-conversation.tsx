import "../styles/run";
import "../styles/sharing.css";
import "../styles/projects.css";
import { Link } from "wouter";
import { asProblem } from "../api/problem";
import { useReadConversation } from "../api/project-conversation";
import { copyFromProject, type ReadConversation, useProject } from "../api/projects";
import { titleOf } from "../features/conversations/title";
import { GoOn } from "../features/sharing/going-on";
import { filesOf } from "../features/sharing/not-copied";
import { ReadTurns } from "../features/sharing/read-turns";
import { msg, t } from "../i18n";
import { T } from "../i18n/t";
import { dateFormat, when } from "../ui/format";
import { Icon } from "../ui/icon";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";
import { Skeleton } from "./conversation";

const day = dateFormat({ dateStyle: "long" });

function Shown({ project, shown }: { project: string; shown: ReadConversation }) {
  const title = titleOf(shown);
  const { name, role } = useProject(project).data ?? {};
  useTitle(title);
  return (
    <div className="conversation shared">
      <header className="shared-head">
        <h1 dir="auto">{title}</h1>
        <p className="quiet">
          <T
            text="By {{name}}, last changed on {{day}}"
            parts={{
              name: <bdi>{shown.author_name ?? shown.author}</bdi>,
              day: day(when(shown.updated_at)),
            }}
          />
        </p>
        {name !== undefined && (
          <Link href={`/p/${project}`} className="tag project-chip">
            <Icon name="team" />
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
          {shown.is_mine ? (
            <Link href={`/c/${shown.id}`} className="button">
              {t("Open the conversation")}
            </Link>
          ) : (
            <GoOn
              makeCopy={() => copyFromProject(project, shown.id)}
              files={filesOf(shown.messages, role === "writer" || role === "owner")}
            />
          )}
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
              text="It is no longer in this project, or you are not. <link>Start a new conversation</link>."
              parts={{ link: (inner) => <Link href="/">{inner}</Link> }}
            />
          </p>
        </>
      ) : (
        <>
          <h1>{t("This conversation could not be loaded")}</h1>
          <ReadFailed text={msg("It could not be loaded: {{reason}}")} query={shown} />
        </>
      )}
    </div>
  );
}
