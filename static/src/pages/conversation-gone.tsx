import { useEffect } from "react";
import { Link, useLocation } from "wouter";
import { useProjectOf } from "../api/project-of";
import { msg, t } from "../i18n";
import { T } from "../i18n/t";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";
import { Skeleton } from "./conversation";

function NotHere() {
  const title = t("This conversation is not here");
  useTitle(title);
  return (
    <div className="page-notice">
      <h1>{title}</h1>
      <p>
        <T
          text="It was deleted, or it belongs to somebody else. <link>Start a new conversation</link>."
          parts={{ link: (inner) => <Link href="/">{inner}</Link> }}
        />
      </p>
    </div>
  );
}

/**
 * The reader has no such conversation. Its author may have sent them the address of their own page: where the two are in
 * a project together, it is read there.
 */
export default function ConversationGone({ id }: { id: string }) {
  const [, go] = useLocation();
  const place = useProjectOf(id);
  const project = place.data;
  useEffect(() => {
    if (project) go(`/p/${project}/c/${id}`, { replace: true });
  }, [project, id, go]);
  if (place.isPending || project) return <Skeleton />;
  if (!place.isError) return <NotHere />;
  return (
    <div className="page-notice">
      <h1>{t("This conversation could not be loaded")}</h1>
      <ReadFailed text={msg("It could not be loaded: {{reason}}")} query={place} />
    </div>
  );
}
