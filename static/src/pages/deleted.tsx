import "../styles/settings.css";
import "../styles/deleted.css";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { api } from "../api/client";
import { useOwnData } from "../api/own-data";
import { eachOnce } from "../api/pages";
import { keys, nextOffset, pageSize, refreshConversations } from "../api/queries";
import type { ConversationSummary } from "../api/types";
import { More } from "../features/admin/more";
import { titleOf } from "../features/conversations/title";
import { msg, t } from "../i18n";
import { useAttempt } from "../ui/attempt";
import { Confirm } from "../ui/confirm";
import { count, dateFormat, when } from "../ui/format";
import { useKeptFocus } from "../ui/kept-focus";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";
import { toast } from "../ui/toast";

const key = [...keys.conversations, "deleted"];
const day = dateFormat({ dateStyle: "long" });

const useDeleted = () =>
  useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => api.deleted(pageParam, pageSize),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => nextOffset(last, pages),
  });

function Row({ item }: { item: ConversationSummary }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { busy, attempt } = useAttempt();
  const title = titleOf(item);
  const act = (what: () => Promise<unknown>, failed: string, done: string) =>
    attempt(async () => {
      await what();
      client.removeQueries({ queryKey: keys.conversation(item.id) });
      await refreshConversations();
      toast(t(done, { title }));
    }, failed);
  return (
    <li className="deleted-row">
      <span dir="auto" className="deleted-title">
        {title}
      </span>
      <span className="deleted-actions">
        <button
          type="button"
          className="button"
          aria-disabled={busy}
          aria-label={t("Restore {{title}}", { title })}
          onClick={() =>
            act(
              () => api.restore(item.id),
              msg("Not restored: {{message}}"),
              msg("“{{title}}” was restored."),
            )
          }
        >
          {t("Restore")}
        </button>
        <button
          type="button"
          className="button button-danger"
          aria-disabled={busy}
          aria-label={t("Delete for good: {{title}}", { title })}
          onClick={() => setAsking(true)}
        >
          {t("Delete for good")}
        </button>
      </span>
      {item.expires_at && (
        <p className="quiet">
          {t("It is removed for good on {{day}}.", { day: day(when(item.expires_at)) })}
        </p>
      )}
      {asking && (
        <Confirm
          title={t("Delete for good?")}
          actions={[
            {
              label: t("Delete for good"),
              tone: "danger",
              run: () => {
                setAsking(false);
                act(
                  () => api.purge(item.id),
                  msg("Not deleted: {{message}}"),
                  msg("“{{title}}” was deleted for good."),
                );
              },
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsking(false)}
        >
          <p>
            {t(
              "“{{title}}” and all its answers are removed from this server at once. This cannot be undone. What it cost stays in the figures.",
              { title },
            )}
          </p>
        </Confirm>
      )}
    </li>
  );
}

/** What was deleted and is not gone yet. */
export default function DeletedPage() {
  useTitle(t("Deleted conversations"));
  const list = useDeleted();
  // Being deleted is nothing that happens in a conversation: the rule may come before the thirty days are over.
  const days = useOwnData().data?.retention_days;
  const kept = useKeptFocus<HTMLDivElement>();
  const items = eachOnce(list.data?.pages, (page) => page.items);
  return (
    <div {...kept} className="settings">
      <h1>{t("Deleted conversations")}</h1>
      <p className="quiet">
        {t(
          "A conversation can be restored for 30 days after it was deleted; then it is removed for good.",
        )}{" "}
        {days
          ? t(
              "Conversations in which nothing happens for {{count, number}} days are deleted for good; a week before, they say so.",
              { count: days },
            )
          : null}
      </p>
      {list.isPending && <p className="quiet">{t("Loading conversations…")}</p>}
      {list.isError && !list.data && (
        <ReadFailed text={msg("The list could not be loaded: {{reason}}")} query={list} />
      )}
      {list.data && items.length === 0 && (
        <p>
          {t("There are no deleted conversations.")} <Link href="/">{t("New conversation")}</Link>
        </p>
      )}
      {items.length > 0 && (
        <section className="panel" aria-label={t("Deleted conversations")}>
          <ul className="deleted-list">
            {items.map((item) => (
              <Row key={item.id} item={item} />
            ))}
          </ul>
          <More
            list={list}
            shown={t("{{shown}} of {{all}}", {
              shown: count(items.length),
              all: count(list.data?.pages[0]?.total ?? items.length),
            })}
            label={t("Older conversations")}
          />
        </section>
      )}
    </div>
  );
}
