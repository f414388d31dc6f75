import {
  type FocusEvent,
  lazy,
  memo,
  Suspense,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { type Away, useAway } from "../../api/availability";
import type { Problem } from "../../api/problem";
import { projectOf } from "../../api/projects";
import type { Ask } from "../../api/types";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { isForInputMethod } from "../../ui/composing";
import { count, sentence } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { useLasting, useMedia, useOnline } from "../../ui/media";
import { Notice } from "../../ui/notice";
import { orNothing } from "../../ui/part";
import { AttachButton } from "../attachments/attach-button";
import { named, useChosenFiles } from "../attachments/chosen";
import { recognition, useDictation } from "../dictation/wanted";
import { CouncilChip } from "../next-council/chip";
import { nameOf } from "../next-council/next-council";
import { toSeat } from "../one-seat/ask";
import { DirectPicker } from "../one-seat/picker";
import { promptOf, writtenIn } from "../options/choices";
import { useOptions } from "../options/option-bar";
import { PresetPicker } from "../presets/preset-picker";
import { askedOf, useAsking } from "./asked";
import { drafts, newIn } from "./draft";
import { focusComposer, isByPage, keysOnGlass } from "./focus";
import { recalled } from "./recall";

const Estimate = lazy(() => orNothing(import("./estimate")));
const Dictate = lazy(() => orNothing(import("../dictation/dictate")));
const Chips = lazy(() => orNothing(import("../attachments/chips")));
const FromProject = lazy(() => orNothing(import("../projects/from-project")));
const Suggest = lazy(() => orNothing(import("../library/suggest")));
const InsertDialog = lazy(() => orNothing(import("../library/insert-dialog")));

let loading: Promise<typeof import("../attachments/upload")> | null = null;
/** One promise for everybody who waits: of two imports of a module that is still loading, browsers may answer the later one first. */
function uploads() {
  loading ??= import("../attachments/upload").catch((error: unknown) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** Most absences of the server are over sooner, and then nobody need know. */
const unnoticedMs = 1_000;

const awayTexts: Record<Away, string> = {
  restarting: msg("The server is restarting."),
  unreachable: msg("The server cannot be reached."),
};

/** A slash and what may be the beginning of a prompt's name. */
const namesPrompt = /^\/[^\n]{0,60}$/;

const nobody: readonly string[] = [];

/** A question that is asked in the place of another. */
interface Edits {
  /** Where it is kept while it is typed. */
  draft: string;
  /** The answer that it goes on from; null at the beginning. */
  parentId: string | null;
  onCancel: () => void;
}

interface Props {
  conversationId: string | null;
  /** The project that a new conversation is begun in. */
  project?: string;
  edits?: Edits;
  running: boolean;
  stopping: boolean;
  refusal: Problem | null;
  /** Who has answered in the conversation: each may be asked alone. */
  seats?: readonly string[];
  /** Resolves once the question is on its way or was refused; never rejects. */
  onAsk: (body: Ask) => Promise<void>;
  /** Takes a question that is to be asked once the run under way has answered. */
  onWait?: (body: Ask) => void;
  onStop: () => void;
}

export const Composer = memo(function Composer(props: Props) {
  const { conversationId, edits, running, stopping, refusal, onAsk, onWait, onStop } = props;
  const { seats = nobody, project } = props;
  const place = edits?.draft ?? conversationId ?? newIn(project);
  const here = project ?? projectOf(conversationId);
  const { draft, config, presets, preset, scene, isRead } = useAsking(place, here);
  const box = useRef<HTMLTextAreaElement>(null);
  const away = useAway();
  const online = useOnline();
  const prompt = useRef<HTMLTextAreaElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [sending, setSending] = useState(false);
  /** Asked before it was known what with: it is sent as soon as that is. */
  const [waits, setWaits] = useState(false);
  /** By the reader: the page may have put the focus there by itself. */
  const [used, setUsed] = useState(false);
  /** Being pressed: it unfolds with the click, since what was pressed would have moved away before it. */
  const pressed = useRef(false);
  const [promptOpen, setPromptOpen] = useState(draft.systemPrompt !== "");
  const onGlass = useMedia(keysOnGlass);
  const id = useId();

  const presetIsMissing = draft.preset !== null && presets !== undefined && !preset;
  const lastingAway = useLasting(away !== null && !running, unnoticedMs);
  const awayText = lastingAway && away !== null ? t(awayTexts[away]) : null;
  // A refusal that was due only to the server's absence ends with it; the question is still in the box.
  const isPassing = refusal?.kind === "network" || refusal?.kind === "restarting";
  const refusalPassed = isPassing && (awayText !== null || (online && away === null));

  const limit = config?.limits?.max_content_chars ?? 100_000;
  // The server counts characters, not UTF-16 units; only long texts are worth the difference.
  const length = draft.content.length > limit * 0.9 ? [...draft.content].length : 0;
  const tooLong = length > limit;
  const attached = useChosenFiles(place);
  const mayAttach = config?.attachments;
  const dictates = useDictation((state) => state.on) && recognition() !== null;
  const [inserting, setInserting] = useState(false);
  const attach = async (chosen: readonly File[]) => {
    if (!mayAttach || chosen.length === 0) return;
    await uploads().then(
      ({ add }) => add(place, chosen, mayAttach),
      complain(msg("The files were not added: {{message}}")),
    );
  };
  const filesState = attached.some(({ state }) => state === "failed")
    ? t("Remove the files that cannot be used before you ask.")
    : attached.some(({ state }) => state === "uploading")
      ? t("You can ask as soon as the files are read.")
      : null;
  const isQuestion = draft.content.trim() !== "" && !tooLong && filesState === null;
  const canSend = isQuestion && !running && !sending && !away;
  const canWait = isQuestion && running && onWait !== undefined;
  const isUnderWay = sending || waits;

  // Only for another text: to ask for a height lays the whole page out.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, innerHeight * 0.4)}px`;
  }, [draft.content]);

  // A new conversation is for typing, an old one for reading first.
  useLayoutEffect(() => {
    if (conversationId === null) focusComposer();
  }, [conversationId]);

  // The button that asked is the one that stops, and the other way round: whoever pressed it types next.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it becomes the other one
  useLayoutEffect(() => {
    if (document.activeElement === button.current) focusComposer();
  }, [running]);

  // One that is empty and left folds again, and not under the press that leaves it: what is pressed
  // would have moved away by the time it is let go. Of a tap the focus goes after `pointerup`.
  const leave = (event: FocusEvent<HTMLElement>) => {
    pressed.current = false;
    if (event.currentTarget.contains(event.relatedTarget)) return;
    const fold = () => setUsed(false);
    if (!document.documentElement.matches(":active")) return fold();
    addEventListener("mouseup", () => setTimeout(fold), { once: true });
  };

  const promptByDefault = promptOf(scene.preset?.options ?? scene.config?.default_options);
  const asked = askedOf(draft, scene);
  if (project !== undefined) asked.project_id = project;
  if (edits) asked.parent_message_id = edits.parentId;
  // Each time it is the first question of a conversation, and comes without files.
  const begins = conversationId === null || edits !== undefined;
  const maySchedule = begins && isQuestion && attached.length === 0 && config?.features.schedules;
  const options = useOptions({
    scene,
    picker: presets && presets.length > 0 && (
      <PresetPicker
        presets={presets}
        chosen={preset?.id ?? null}
        usual={here === null ? t("Your council") : t("The project’s council")}
        onChange={(id) => {
          // Whichever council is asked, it is the same question.
          const choices = writtenIn(draft.choices);
          drafts.write(place, { preset: id, choices, models: [], chairman: null });
        }}
      />
    ),
    question: draft.content,
    scheduled: maySchedule ? asked : null,
    onChange: (change) => drafts.choose(place, change),
  });
  const body = draft.to === null ? asked : toSeat(asked, draft.to);

  if (attached.length > 0) body.attachments = named(attached);

  const sendNow = async () => {
    if (!canWait && !canSend) return;
    if (!isRead) return setWaits(true);
    // On a small screen the answer is what is looked at next, and not the files that are offered again.
    if (onGlass) setUsed(false);
    if (canWait) return onWait(body);
    setSending(true);
    try {
      await onAsk(body);
    } finally {
      setSending(false);
    }
  };

  useEffect(() => {
    if (!waits || !isRead) return;
    setWaits(false);
    sendNow();
  });

  const inOtherWords = t("The question in other words");
  return (
    <form
      className={edits ? "composer composer-edits" : "composer"}
      aria-label={edits ? t("Ask in another way") : t("Ask the council")}
      onSubmit={(event) => {
        event.preventDefault();
        sendNow();
      }}
    >
      {awayText && (
        <Notice tone="warn">
          <strong>{awayText}</strong>{" "}
          {t("What you type is kept, and you can ask as soon as it is back.")}
        </Notice>
      )}
      {refusal && !refusalPassed && (
        <Notice tone="bad" urgent>
          <strong>{t("Not sent.")}</strong> {sentence(refusal.message)}
          {refusal.kind === "stale" && (
            <>
              {" "}
              <a href={location.pathname}>{t("Reload the page")}</a>
            </>
          )}
        </Notice>
      )}
      {presetIsMissing && (
        <Notice tone="warn">
          {t("There is no preset “{{preset}}” here; it is left out.", {
            preset: draft.preset ?? "",
          })}
        </Notice>
      )}
      {(draft.models.length > 0 || draft.chairman !== null) && (
        <p className="composer-models">
          <span>
            {draft.models.length > 0 &&
              t("Asked instead of your council: {{models}}.", {
                models: draft.models.map(nameOf).join(", "),
              })}{" "}
            {draft.chairman !== null &&
              t("The chairman this time: {{model}}.", { model: draft.chairman })}
          </span>
          <button
            type="button"
            className="quiet-button"
            onClick={() => drafts.write(place, { models: [], chairman: null })}
          >
            {t("Back to my council")}
          </button>
        </p>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is in it is used */}
      <div
        className={used || edits ? "composer-box composer-used" : "composer-box"}
        onFocus={() => pressed.current || isByPage() || setUsed(true)}
        onPointerDown={() => {
          pressed.current = true;
        }}
        onClick={() => {
          pressed.current = false;
          setUsed(true);
        }}
        onKeyDown={() => setUsed(true)}
        onBlur={leave}
      >
        <textarea
          ref={box}
          rows={1}
          dir="auto"
          aria-label={edits ? inOtherWords : t("Your question")}
          aria-describedby={`${id}-hint`}
          placeholder={
            edits
              ? inOtherWords
              : conversationId
                ? t("Ask a follow-up")
                : t("Ask the council anything")
          }
          value={draft.content}
          onChange={(event) => drafts.write(place, { content: event.target.value })}
          onPaste={(event) => {
            // What is copied from a table or a page comes as a picture, too: it is the text that is meant.
            const { files: pasted, types } = event.clipboardData;
            if (!mayAttach || pasted.length === 0 || types.includes("text/plain")) return;
            event.preventDefault();
            attach([...pasted]);
          }}
          enterKeyHint={onGlass ? "enter" : "send"}
          onKeyDown={(event) => {
            if (isForInputMethod(event.nativeEvent)) return;
            if (event.key === "Escape" && !edits) event.currentTarget.blur();
            const earlier = edits ? null : recalled(conversationId, draft.content, event);
            if (earlier !== null) {
              event.preventDefault();
              drafts.write(place, { content: earlier });
            }
            if (event.key !== "Enter" || event.shiftKey) return;
            // Keys on glass have no Shift and Enter: there it is the button that sends.
            if (onGlass && !event.ctrlKey && !event.metaKey) return;
            event.preventDefault();
            sendNow();
          }}
        />
        {namesPrompt.test(draft.content) && (
          <Suspense fallback={null}>
            <Suggest place={place} box={box} typed={draft.content} />
          </Suspense>
        )}
        {attached.length > 0 && (
          <Suspense fallback={null}>
            <Chips place={place} />
          </Suspense>
        )}
        {here !== null && (
          <Suspense fallback={null}>
            <FromProject id={here} />
          </Suspense>
        )}
        {filesState && <p className="composer-files-state">{filesState}</p>}
        {promptOpen && (
          <label className="composer-prompt">
            <span>{t("System prompt for every member that has none of its own")}</span>
            <textarea
              ref={prompt}
              rows={2}
              placeholder={
                promptByDefault || t("For example: Answer in German, in three sentences at most.")
              }
              value={draft.systemPrompt}
              onChange={(event) => drafts.write(place, { systemPrompt: event.target.value })}
            />
          </label>
        )}
        {conversationId !== null && options.panel}
        <div className="composer-row">
          {(seats.length > 0 || draft.to !== null) && (
            <DirectPicker
              seats={seats}
              chosen={draft.to}
              onChange={(to) => drafts.write(place, { to })}
            />
          )}
          {/* On the page of a new conversation the members stand above it. */}
          {conversationId !== null && scene.config && draft.to === null && (
            <CouncilChip
              place={place}
              project={here}
              conversationId={conversationId}
              draft={draft}
              config={scene.config}
            />
          )}
          {options.bar}
          {mayAttach && <AttachButton limits={mayAttach} onChoose={attach} />}
          <button
            type="button"
            className="chip"
            aria-expanded={promptOpen}
            onClick={() => {
              flushSync(() => setPromptOpen(!promptOpen));
              prompt.current?.focus();
            }}
          >
            {t("System prompt")}
            {!promptOpen && draft.systemPrompt.trim() !== "" && <span className="chip-dot" />}
          </button>
          <button
            type="button"
            className="chip"
            aria-haspopup="dialog"
            onClick={() => setInserting(true)}
          >
            {t("Prompts")}
          </button>
          {inserting && (
            <Suspense fallback={null}>
              <InsertDialog
                place={place}
                chosen={null}
                onClose={(done) => {
                  setInserting(false);
                  if (done) box.current?.focus();
                }}
              />
            </Suspense>
          )}
          {dictates && (
            <Suspense fallback={null}>
              <Dictate place={place} box={box} />
            </Suspense>
          )}
          {length > 0 && (
            <span className={tooLong ? "counter counter-over" : "counter"}>
              {t("{{length}} of {{limit}} characters", {
                length: count(length),
                limit: count(limit),
              })}
            </span>
          )}
          <div className="composer-end">
            {canSend && (
              <Suspense fallback={null}>
                <Estimate
                  conversationId={conversationId}
                  asked={JSON.stringify(body)}
                  simulated={config?.features.simulated ?? false}
                  refused={refusal !== null}
                />
              </Suspense>
            )}
            {canWait && (
              <button type="submit" className="wait-button button">
                {t("Ask next")}
              </button>
            )}
            {edits && (
              <button type="button" className="cancel-button button" onClick={edits.onCancel}>
                {t("Cancel")}
              </button>
            )}
            {running ? (
              <button
                ref={button}
                type="button"
                className="stop-button"
                // Not `disabled`, which drops the focus: it goes into the box once the run has ended.
                aria-disabled={stopping}
                onClick={(event) => {
                  // React makes this very button the one that asks, perhaps while it is being pressed:
                  // the browser would go on to submit the question that Stop has just given back.
                  event.preventDefault();
                  if (!stopping) onStop();
                }}
              >
                <Icon name="stop" />
                {stopping ? t("Stopping…") : t("Stop")}
              </button>
            ) : (
              <button
                ref={button}
                type="submit"
                className="send-button"
                disabled={!canSend && !isUnderWay}
                // Not `disabled`, which drops the focus: a question that is refused is asked again from here.
                aria-disabled={isUnderWay}
              >
                <Icon name="send" />
                <span>{t("Ask")}</span>
              </button>
            )}
          </div>
        </div>
        {/* Opens away from the edge that stays: the button that opened it does not move. */}
        {conversationId === null && options.panel}
      </div>
      <p className="visually-hidden" role="status">
        {tooLong && t("The question is too long to be sent.")}
        {filesState}
      </p>
      <p id={`${id}-hint`} className="visually-hidden">
        {onGlass
          ? t("Enter starts a new line; the Ask button sends.")
          : t("Enter sends, Shift and Enter starts a new line.")}
      </p>
    </form>
  );
});
