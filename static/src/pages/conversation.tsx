import { Suspense, useEffect } from "react";
import { asProblem } from "../api/problem";
import { useConversation } from "../features/asking/conversation";
import { t } from "../i18n";
import { late } from "../ui/late";
import { Notice } from "../ui/notice";
import { orMissing } from "../ui/part";

/** What is in a conversation: fetched once the page stands, or by the first that shows one. */
export const Turns = late(() => import("./turns"));
const Gone = late(() => orMissing(import("./conversation-gone")));

/** Where the first turn will be: nothing jumps when it comes. */
export function Skeleton() {
  return (
    <div className="conversation conversation-wait" aria-busy="true">
      <h1 className="visually-hidden">{t("Loading the conversation…")}</h1>
      <span className="skeleton" />
      <span className="skeleton skeleton-question" />
      <span className="skeleton skeleton-answer" />
    </div>
  );
}

export function ConversationPage({ id }: { id: string }) {
  const conversation = useConversation(id);
  // Beside the conversation itself, not after it.
  useEffect(() => Turns.prefetch(), []);
  const gone = asProblem(conversation.error).status === 404;
  if (conversation.data && !gone) {
    return (
      <Suspense fallback={<Skeleton />}>
        <div className="conversation">
          <Turns.View conversation={conversation.data} />
        </div>
      </Suspense>
    );
  }
  if (conversation.isPending) return <Skeleton />;
  if (gone) {
    return (
      <Suspense fallback={<Skeleton />}>
        <Gone.View id={id} />
      </Suspense>
    );
  }
  return (
    <div className="page-notice">
      <h1>{t("This conversation could not be loaded")}</h1>
      <Notice tone="bad" urgent>
        {asProblem(conversation.error).message}{" "}
        <button type="button" className="quiet-button" onClick={() => conversation.refetch()}>
          {t("Try again")}
        </button>
      </Notice>
    </div>
  );
}
