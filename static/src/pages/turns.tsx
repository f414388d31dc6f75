import "../styles/run";
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { useHistoryState } from "wouter/use-browser-location";
import { session } from "../api/client";
import { asProblem } from "../api/problem";
import { projectOf } from "../api/projects";
import { useConfig } from "../api/queries";
import type { Ask, Conversation } from "../api/types";
import { stop } from "../features/asking/live";
import { next } from "../features/asking/next";
import { setRefusal, useRefusals } from "../features/asking/refusals";
import { followed, isFollowed, useLiveRuns } from "../features/asking/runs";
import { resume, settleWith, start, startAgain } from "../features/asking/session";
import { type Asked, files } from "../features/attachments/chosen";
import type { AttachedFile } from "../features/attachments/question-files";
import { choose, timesReplaced, useForksOf } from "../features/branches/choose";
import { useOpenQuestion } from "../features/branches/editing";
import { isElsewhere, liveElsewhere } from "../features/branches/elsewhere";
import { councilIn, readScene } from "../features/composer/asked";
import { Composer } from "../features/composer/composer";
import { drafts } from "../features/composer/draft";
import { WaitingQuestions } from "../features/composer/waiting";
import { archive } from "../features/conversations/changes";
import { type Find, isFind } from "../features/conversations/find";
import { Head } from "../features/conversations/head";
import { NewestButton } from "../features/conversations/newest";
import { Rest } from "../features/conversations/rest";
import { scrollToLast } from "../features/conversations/settling";
import { useShownTitle } from "../features/conversations/title";
import { LiveStatus } from "../features/council/deliberation";
import { LinkStatus } from "../features/council/link-status";
import { TurnView } from "../features/council/turn";
import { type Turn, turnsOf } from "../features/council/turns";
import { NotifyOffer } from "../features/ended/offer";
import type { Choices } from "../features/feature";
import { CouncilSeats, councilSeats, seatsOf } from "../features/one-seat/seats";
import { toAsk } from "../features/options/choices";
import { ProcessLog } from "../features/process/process-log";
import { NotCopied } from "../features/sharing/not-copied";
import { msg, t } from "../i18n";
import { isLive } from "../run/state";
import { complain } from "../ui/complain";
import { dateFormat, when } from "../ui/format";
import { Icon } from "../ui/icon";
import { useTitle } from "../ui/title";
import { toast } from "../ui/toast";

const day = dateFormat({ dateStyle: "long" });

/** Said a week before. */
function Expires({ at }: { at: string }) {
  return (
    <p className="archived-note">
      <Icon name="alert" />
      <span>
        {t("This conversation will be deleted on {{day}} unless something happens in it.", {
          day: day(when(at)),
        })}
      </span>
    </p>
  );
}

function Archived({ conversation }: { conversation: Conversation }) {
  return (
    <p className="archived-note">
      <Icon name="archive" />
      <span>{t("This conversation is archived.")}</span>
      <button type="button" className="quiet-button" onClick={() => archive(conversation, false)}>
        {t("Restore")}
      </button>
    </p>
  );
}

/** That something is being written on a branch which is not shown, and the way there. */
function Elsewhere({ conversation }: { conversation: Conversation }) {
  const there = liveElsewhere(conversation);
  return (
    <div role="status">
      {there && (
        <p className="elsewhere-note">
          {t("Another branch of this conversation is being answered.")}
          <button
            type="button"
            className="quiet-button"
            onClick={() => choose(conversation.id, there.message_id, 0)}
          >
            {t("Show it")}
          </button>
        </p>
      )}
    </div>
  );
}

/**
 * Picks up a run that this page does not follow: after a reload, or one asked on another device. A
 * question that was on its way when the page was loaded is sent again.
 */
function usePickUp(conversation: Conversation) {
  const { id } = conversation;
  const elsewhere = liveElsewhere(conversation);
  const last = conversation.messages.at(-1);
  const open =
    last?.role === "assistant" && (last.status === "running" || last.status === "queued");
  const runId = open ? (last.run_id ?? null) : (elsewhere?.run_id ?? null);
  const messageId = elsewhere?.message_id ?? null;
  useEffect(() => {
    if (isFollowed(id)) return;
    if (runId !== null) resume(id, runId, messageId);
    else startAgain(id);
  }, [id, runId, messageId]);
}

/**
 * Shows the newest question: when the page opens, unless a search has found something else in it, when
 * another one is asked, and when the reader wants to.
 */
function useScrollToNewest(conversation: Conversation, turns: readonly Turn[]) {
  const count = turns.length;
  // Where it branches, other turns may be old ones of another branch.
  const isNew = conversation.branches < 2 || (turns.at(-1)?.live ?? null) !== null;
  const list = useRef<HTMLDivElement>(null);
  const shown = useRef(0);
  const letGo = useRef(() => {});
  const toNewest = useCallback((behavior: ScrollBehavior) => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    letGo.current();
    if (list.current) letGo.current = scrollToLast(list.current, calm ? "instant" : behavior);
  }, []);
  const state = useHistoryState<unknown>();
  const find = isFind(state) ? state : null;
  const { id, messages } = conversation;
  const found = find?.messageId ?? null;
  const onBranch = found === null || messages.some((message) => message.id === found);
  // Once: a reader who goes to another branch then is not led back.
  const led = useRef<Find | null>(null);
  useEffect(() => {
    if (found === null || onBranch || led.current === find) return;
    led.current = find;
    choose(id, found, 0);
  }, [id, find, found, onBranch]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is loaded later moves nothing
  useEffect(() => {
    if (!find || !onBranch) return;
    let hide: (() => void) | null = null;
    let gone = false;
    import("../features/conversations/reveal").then(
      ({ reveal }) => {
        if (!gone && list.current) hide = reveal(list.current, conversation, find);
      },
      complain(msg("What was found is not marked: {{message}}")),
    );
    return () => {
      gone = true;
      hide?.();
    };
  }, [find, onBranch]);
  useEffect(() => {
    if (count === shown.current) return;
    const opening = shown.current === 0;
    shown.current = count;
    // A question that was refused is open again in the place of another, and says there why.
    if (document.activeElement?.closest(".question-editor")) {
      letGo.current();
      return;
    }
    if (opening && (count < 2 || find)) return;
    if (!opening && !isNew) return;
    toNewest(opening ? "instant" : "smooth");
  }, [count, find, isNew, toNewest]);
  useEffect(() => () => letGo.current(), []);
  return { list, toNewest };
}

/** What the newest question came with goes with the next one, too: a follow-up is mostly about the same. */
function useFilesOfBefore(id: string, attached: readonly AttachedFile[] = []) {
  const taken = Boolean(useConfig().data?.attachments);
  const known = attached.map(({ id, filename, width }) => ({ id, filename, width }));
  const list = JSON.stringify(taken ? known : []);
  useEffect(() => files.offer(id, JSON.parse(list)), [id, list]);
}

/** How many of the newest turns are drawn at once. */
const turnsAtOnce = 2;

export default function Turns({ conversation }: { conversation: Conversation }) {
  const { id } = conversation;
  const live = useLiveRuns((state) => state.runs[id] ?? null);
  const refusal = useRefusals((state) => state.refusals[id] ?? null);
  const turns = useMemo(() => turnsOf(conversation, live), [conversation, live]);
  const { list, toNewest } = useScrollToNewest(conversation, turns);
  const edited = useOpenQuestion(id);
  const forks = useForksOf(id);
  usePickUp(conversation);
  useEffect(() => {
    if (live?.over) settleWith(conversation);
  }, [conversation, live]);
  const title = useShownTitle(conversation, turns[0]?.question ?? null);
  useTitle(title);

  // Signed in again, in another tab: the run is followed again.
  const signedOut = useSyncExternalStore(session.subscribe, session.state) === "signed_out";
  const lost = live?.refused?.kind === "signed_out" ? live.run.runId : null;
  useEffect(() => {
    if (lost !== null && !signedOut) resume(id, lost);
  }, [id, lost, signedOut]);

  const names = seatsOf(turns).join("\n");
  const seats = useMemo(() => names.split("\n").filter(Boolean), [names]);
  const sitting = JSON.stringify(councilSeats(turns));
  const places = useMemo((): Readonly<Record<string, number>> => JSON.parse(sitting), [sitting]);

  useFilesOfBefore(id, turns.at(-1)?.files);

  const running = live !== null && isLive(live.run);
  const elsewhere = live !== null && isElsewhere(live, conversation);
  // Where it branches the page says what a question goes on from: another tab may look at another branch.
  const end = conversation.branches > 1 ? (turns.at(-1)?.run?.messageId ?? null) : null;
  // Memoised, so that the composer is not drawn again while texts stream in.
  const ask = useCallback(
    async (body: Ask) => {
      drafts.sent(id);
      files.clear(id);
      start(id, end === null ? body : { ...body, parent_message_id: end });
    },
    [id, end],
  );
  const wait = useCallback(
    (body: Ask) => {
      drafts.sent(id);
      files.clear(id);
      setRefusal(id, null);
      next.add(id, end === null ? body : { ...body, parent_message_id: end });
    },
    [id, end],
  );
  const onStop = useCallback(() => {
    stop(id).catch((error: unknown) =>
      toast(t("Not stopped: {{message}}", { message: asProblem(error).message }), { tone: "bad" }),
    );
  }, [id]);
  const reattach = useCallback((runId: string) => resume(id, runId), [id]);
  // A second press while the first one waits for the settings is the same one.
  const waits = useRef(false);
  const askAgain = useCallback(
    async (question: string, other: Partial<Choices> = {}, attachments?: Asked) => {
      if (waits.current) return;
      waits.current = true;
      setRefusal(id, null);
      const draft = drafts.read(id);
      const before = followed.get(id);
      const scene = await readScene(draft, other, projectOf(id)).finally(() => {
        waits.current = false;
      });
      // What was asked here meanwhile takes its place.
      const now = followed.get(id);
      if (now && now !== before) return;
      // Said in any case: what is set by default may have changed elsewhere.
      const asked = { content: question, ...toAsk(scene), ...councilIn(draft), ...other };
      start(id, attachments ? { ...asked, attachments } : asked);
    },
    [id],
  );

  return (
    <>
      <Head conversation={conversation} title={title} />
      {conversation.archived && <Archived conversation={conversation} />}
      {conversation.expires_at && <Expires at={conversation.expires_at} />}
      <div ref={list} className="turns">
        <CouncilSeats value={places}>
          {turns.map((turn, at) => (
            <TurnView
              key={turn.key}
              conversationId={id}
              number={at + 1}
              question={turn.question}
              questionId={turn.questionId}
              files={turn.files}
              ofProject={turn.ofProject}
              parentId={turn.parentId}
              siblings={turn.siblings}
              edited={edited !== null && turn.questionId === edited && !running}
              running={running}
              seats={seats}
              replaced={timesReplaced(forks, at)}
              run={turn.run}
              earlier={turn.earlier}
              live={turn.live}
              latest={at === turns.length - 1}
              far={at < turns.length - turnsAtOnce}
              onReattach={reattach}
              onAskAgain={askAgain}
            />
          ))}
        </CouncilSeats>
        {turns.length === 0 && <p className="quiet">{t("Nothing was asked here yet.")}</p>}
      </div>
      <ProcessLog run={turns.at(-1)?.run ?? null} />
      <LiveStatus run={elsewhere ? null : (live?.run ?? null)} />
      <div className="composer-dock">
        <div className="dock-floats">
          <NewestButton list={list} count={turns.length} onPress={toNewest} />
          <LinkStatus live={live} />
        </div>
        <Elsewhere conversation={conversation} />
        {turns.some(({ run }) => run?.brief) && <Rest id={id} />}
        {!running && <NotifyOffer />}
        <NotCopied />
        {/* Until the end of a complete run is read, what waits for it is about to be asked. */}
        <WaitingQuestions id={id} running={running || live?.run.status === "complete"} />
        <Composer
          conversationId={id}
          running={running}
          stopping={live?.stopping ?? false}
          refusal={refusal}
          seats={seats}
          onAsk={ask}
          onWait={wait}
          onStop={onStop}
        />
      </div>
    </>
  );
}
