import { useCallback, useEffect, useMemo, useRef } from "react";
import { Link } from "wouter";
import { api } from "../api/client";
import { asProblem } from "../api/problem";
import { keys, queryClient, useConversation } from "../api/queries";
import type { Ask, Config, Conversation, Preset } from "../api/types";
import { Composer } from "../features/composer/composer";
import { drafts } from "../features/composer/draft";
import { TagEditor } from "../features/conversations/tags";
import { LiveStatus } from "../features/council/deliberation";
import { LinkStatus } from "../features/council/link-status";
import { TurnView } from "../features/council/turn";
import { turnsOf } from "../features/council/turns";
import { sceneOf, toAsk } from "../features/options/choices";
import { ProcessLog } from "../features/process/process-log";
import { isFollowed, stop, useLiveRuns } from "../run/live";
import { resume, setRefusal, settleWith, start, startAgain, useRefusals } from "../run/session";
import { isLive } from "../run/state";
import { Icon } from "../ui/icon";
import { Notice } from "../ui/notice";
import { useTitle } from "../ui/title";
import { toast } from "../ui/toast";

function Head({ conversation, title }: { conversation: Conversation; title: string }) {
  return (
    <header className="conversation-head">
      <h1>{title}</h1>
      {conversation.message_count > 0 && <TagEditor conversation={conversation} />}
      {conversation.message_count > 0 && (
        <p className="exports">
          {(["md", "json"] as const).map((format) => (
            <a
              key={format}
              className="quiet-button"
              href={api.exportHref(conversation.id, format)}
              download
            >
              <Icon name="download" />
              <span className="visually-hidden">Export as </span>
              {format === "md" ? "Markdown" : "JSON"}
            </a>
          ))}
        </p>
      )}
    </header>
  );
}

/**
 * Picks up a run that this page does not follow: after a reload, or one asked on another device. A
 * question that was on its way when the page was loaded is sent again.
 */
function usePickUp(conversation: Conversation) {
  const { id } = conversation;
  const last = conversation.messages.at(-1);
  const open =
    last?.role === "assistant" && (last.status === "running" || last.status === "queued");
  const runId = open ? (last.run_id ?? null) : null;
  useEffect(() => {
    if (isFollowed(id)) return;
    if (runId !== null) resume(id, runId);
    else startAgain(id);
  }, [id, runId]);
}

/** Shows the newest question: when the page opens, and when another one is asked. */
function useScrollToNewest(count: number) {
  const list = useRef<HTMLDivElement>(null);
  const shown = useRef(0);
  useEffect(() => {
    if (count === shown.current) return;
    const opening = shown.current === 0;
    shown.current = count;
    if (opening && count < 2) return;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    list.current?.lastElementChild?.scrollIntoView({
      block: "start",
      behavior: opening || calm ? "instant" : "smooth",
    });
  }, [count]);
  return list;
}

function Loaded({ conversation }: { conversation: Conversation }) {
  const { id } = conversation;
  const live = useLiveRuns((state) => state.runs[id] ?? null);
  const refusal = useRefusals((state) => state.refusals[id] ?? null);
  const turns = useMemo(() => turnsOf(conversation, live), [conversation, live]);
  const list = useScrollToNewest(turns.length);
  usePickUp(conversation);
  useEffect(() => {
    if (live?.over) settleWith(conversation);
  }, [conversation, live]);
  const title = live?.run.title ?? conversation.title;
  useTitle(title);

  const running = live !== null && isLive(live.run);
  const ask = async (body: Ask) => {
    drafts.write(id, { content: "" });
    start(id, body);
  };
  const onStop = () => {
    stop(id).catch((error: unknown) =>
      toast(`Not stopped: ${asProblem(error).message}`, { tone: "bad" }),
    );
  };
  const reattach = useCallback((runId: string) => resume(id, runId), [id]);
  const askAgain = useCallback(
    (question: string) => {
      setRefusal(id, null);
      const { choices, preset } = drafts.read(id);
      const config = queryClient.getQueryData<Config>(keys.config);
      const presets = queryClient.getQueryData<Preset[]>(keys.presets);
      const scene = sceneOf(
        choices,
        config,
        presets?.find((one) => one.id === preset),
      );
      start(id, { content: question, ...toAsk(scene) });
    },
    [id],
  );

  return (
    <>
      <Head conversation={conversation} title={title} />
      <div ref={list} className="turns">
        {turns.map((turn, at) => (
          <TurnView
            key={turn.key}
            question={turn.question}
            run={turn.run}
            live={turn.live}
            latest={at === turns.length - 1}
            onReattach={reattach}
            onAskAgain={askAgain}
          />
        ))}
        {turns.length === 0 && <p className="quiet">Nothing was asked here yet.</p>}
      </div>
      <ProcessLog run={turns.at(-1)?.run ?? null} />
      <LiveStatus run={live?.run ?? null} />
      <div className="composer-dock">
        <LinkStatus live={live} />
        <Composer
          conversationId={id}
          running={running}
          stopping={live?.stopping ?? false}
          refusal={refusal}
          onAsk={ask}
          onStop={onStop}
        />
      </div>
    </>
  );
}

export function ConversationPage({ id }: { id: string }) {
  const conversation = useConversation(id);
  const gone = asProblem(conversation.error).status === 404;
  if (conversation.data && !gone) {
    return (
      <div className="conversation">
        <Loaded conversation={conversation.data} />
      </div>
    );
  }
  if (conversation.isPending) return <p className="page-wait">Loading the conversation…</p>;
  return (
    <div className="page-notice">
      {gone ? (
        <>
          <h1>This conversation is not here</h1>
          <p>
            It was deleted, or it belongs to someone else.{" "}
            <Link href="/">Start a new conversation</Link>.
          </p>
        </>
      ) : (
        <Notice tone="bad" urgent>
          The conversation could not be loaded: {asProblem(conversation.error).message}{" "}
          <button type="button" className="quiet-button" onClick={() => conversation.refetch()}>
            Try again
          </button>
        </Notice>
      )}
    </div>
  );
}
