import "../styles/run";
import "../styles/sharing.css";
import { Link } from "wouter";
import { asProblem } from "../api/problem";
import { copyShare, type SharedConversation, useShared } from "../api/shares";
import { GoOn, Mine } from "../features/sharing/going-on";
import { filesOf } from "../features/sharing/not-copied";
import { ReadTurns } from "../features/sharing/read-turns";
import { t } from "../i18n";
import { T } from "../i18n/t";
import { dateFormat, when } from "../ui/format";
import { Notice } from "../ui/notice";
import { useTitle } from "../ui/title";
import { Skeleton } from "./conversation";

const day = dateFormat({ dateStyle: "long" });

/** Whose it is, when it was shared, and until when it is here. */
function Facts({ shared }: { shared: SharedConversation }) {
  const made = day(when(shared.created_at));
  return (
    <p className="quiet">
      {shared.is_mine ? (
        t("Shared by you on {{day}}", { day: made })
      ) : (
        <T
          text="Shared by {{name}} on {{day}}"
          parts={{ name: <bdi>{shared.shared_by}</bdi>, day: made }}
        />
      )}
      {" · "}
      {t("works until {{day}}", { day: day(when(shared.expires_at)) })}
    </p>
  );
}

/** The branch as it was when it was shared. */
function Snapshot({ shared }: { shared: SharedConversation }) {
  useTitle(shared.title);
  return (
    <div className="conversation shared">
      <header className="shared-head">
        <h1 dir="auto">{shared.title}</h1>
        <Facts shared={shared} />
      </header>
      <ReadTurns shown={shared} />
      {/* Where the composer stands in a conversation. */}
      <div className="composer-dock shared-ways">
        {shared.is_mine ? (
          <Mine shared={shared} />
        ) : (
          <GoOn makeCopy={() => copyShare(shared.id)} files={filesOf(shared.messages, false)} />
        )}
      </div>
    </div>
  );
}

function Gone() {
  const title = t("This link does not work any more");
  useTitle(title);
  return (
    <div className="page-notice">
      <h1>{title}</h1>
      <p>
        <T
          text="It was withdrawn, it has expired, or it is only for members of a project that you are not in. <link>Start a new conversation</link>."
          parts={{ link: (inner) => <Link href="/">{inner}</Link> }}
        />
      </p>
    </div>
  );
}

/** A conversation that another user shares, to be read, and to be continued in a copy. */
export default function SharedPage({ id }: { id: string }) {
  const shared = useShared(id);
  if (asProblem(shared.error).status === 404) return <Gone />;
  if (shared.data) return <Snapshot shared={shared.data} />;
  if (shared.isPending) return <Skeleton />;
  return (
    <div className="page-notice">
      <h1>{t("What was shared could not be loaded")}</h1>
      <Notice tone="bad" urgent>
        {asProblem(shared.error).message}{" "}
        <button type="button" className="quiet-button" onClick={() => shared.refetch()}>
          {t("Try again")}
        </button>
      </Notice>
    </div>
  );
}
