import "../styles/run";
import "../styles/sharing.css";
import { useMemo } from "react";
import { Link } from "wouter";
import { asProblem } from "../api/problem";
import { type SharedConversation, useShared } from "../api/shares";
import { ReadOnly } from "../features/council/read-only";
import { TurnView } from "../features/council/turn";
import { storedTurns } from "../features/council/turns";
import { GoOn, Mine } from "../features/sharing/going-on";
import { t } from "../i18n";
import { T } from "../i18n/t";
import { dateFormat, when } from "../ui/format";
import { Notice } from "../ui/notice";
import { useTitle } from "../ui/title";
import { Skeleton } from "./conversation";

const day = dateFormat({ dateStyle: "long" });

/** So many of the first turns are drawn at once: it is read from its beginning. */
const turnsAtOnce = 2;

const none: readonly string[] = [];
const nothing = () => undefined;

/** Whose it is, of when, and until when it is here. */
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
  const turns = useMemo(() => storedTurns(shared), [shared]);
  useTitle(shared.title);
  return (
    <div className="conversation shared">
      <header className="shared-head">
        <h1 dir="auto">{shared.title}</h1>
        <Facts shared={shared} />
      </header>
      <ReadOnly value>
        <div className="turns">
          {turns.map((turn, at) => (
            <TurnView
              key={turn.key}
              conversationId={shared.id}
              number={at + 1}
              question={turn.question}
              questionId={null}
              files={turn.files}
              parentId={null}
              siblings={none}
              edited={false}
              running={false}
              replaced={0}
              run={turn.run}
              earlier={none}
              live={null}
              latest={at === turns.length - 1}
              far={at >= turnsAtOnce}
              onReattach={nothing}
              onAskAgain={nothing}
            />
          ))}
        </div>
      </ReadOnly>
      {/* Where the composer stands in a conversation. */}
      <div className="composer-dock shared-ways">
        {shared.is_mine ? <Mine shared={shared} /> : <GoOn id={shared.id} />}
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
          text="It was withdrawn, or it has expired. <link>Start a new conversation</link>."
          parts={{ link: (inner) => <Link href="/">{inner}</Link> }}
        />
      </p>
    </div>
  );
}

/** A conversation that somebody shares, to be read, and to be gone on with as one's own. */
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
