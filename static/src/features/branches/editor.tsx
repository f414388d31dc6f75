import { useEffect, useRef, useState } from "react";
import type { Ask } from "../../api/types";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { isForInputMethod } from "../../ui/composing";
import { toast } from "../../ui/toast";
import { setRefusal, useRefusals } from "../asking/refusals";
import type { LiveRun } from "../asking/runs";
import { start } from "../asking/session";
import { files } from "../attachments/chosen";
import type { AttachedFile } from "../attachments/question-files";
import { Composer } from "../composer/composer";
import { drafts } from "../composer/draft";
import { focusComposer } from "../composer/focus";
import { chairman } from "../one-seat/ask";
import { askedAlone } from "../one-seat/seats";
import { fork } from "./choose";
import { editing, editOf } from "./editing";
import type { Place } from "./question-tools";

const never = () => undefined;

/** What Escape closes first. */
const closesItself = "dialog, [role=menu], .estimate, .options-panel";

/**
 * What was typed for this question before, or else the question, for whom it was, with the options that are chosen in its
 * conversation.
 */
function begin(
  place: string,
  { conversationId }: Place,
  { question, files: attached }: Pick<Props, "question" | "files">,
  to: string | null,
) {
  if (drafts.read(place).content !== "") return;
  files.bringBack(
    place,
    attached.map(({ id, filename }) => ({ id, filename })),
  );
  const { systemPrompt, choices, preset, models, chairman } = drafts.read(conversationId);
  drafts.write(place, { content: question, systemPrompt, choices, preset, models, chairman, to });
}

/** The button that opened it is there again after the next frame. */
const focusButton = (question: string) =>
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-edits="${question}"]`)?.focus(),
  );

/** Takes away the last offer to bring a text back. */
let withdrawOffer = () => {};

interface Props {
  place: Place;
  question: string;
  /** What has become of it, if anything. */
  run: RunState | null;
  live: LiveRun | null;
  /** Whom it can be asked alone. */
  seats: readonly string[];
  /** The files that it came with go with it again, unless they are taken out. */
  files: readonly AttachedFile[];
}

/** A question, open to be asked in another way; nothing that was asked before is lost. */
export default function Editor(props: Props) {
  const { place, question, seats } = props;
  const to = askedAlone(props);
  const { conversationId, questionId, parentId, turn } = place;
  const draft = editOf(questionId);
  const refusal = useRefusals((state) => state.refusals[draft] ?? null);
  const box = useRef<HTMLDivElement>(null);
  useState(() => begin(draft, place, props, to));
  useEffect(() => {
    if (!editing.isNew(questionId)) return;
    const { activeElement } = document;
    // A reader who is typing elsewhere by now goes on where they are.
    if (activeElement instanceof HTMLTextAreaElement && activeElement.value !== "") return;
    const text = box.current?.querySelector("textarea");
    text?.focus();
    text?.setSelectionRange(text.value.length, text.value.length);
  }, [questionId]);
  const cancel = () => {
    const typed = drafts.read(draft);
    // One that is on its way is in nobody's list when it arrives.
    const chosen = files.of(draft).filter(({ state }) => state === "ready");
    drafts.clear(draft);
    files.clear(draft);
    setRefusal(draft, null);
    editing.open(conversationId, null);
    focusButton(questionId);
    if (typed.content.trim() === question.trim()) return;
    const bringBack = () => {
      drafts.write(draft, typed);
      files.put(draft, chosen);
      editing.open(conversationId, questionId);
    };
    withdrawOffer = toast(t("The changed question was put away."), {
      action: { label: t("Undo"), run: bringBack },
    });
  };
  const ask = async (body: Ask) => {
    // It would open the question once more.
    withdrawOffer();
    // Its options stay, in case it is refused.
    drafts.sent(draft);
    files.clear(draft);
    setRefusal(draft, null);
    editing.open(conversationId, null);
    fork(conversationId, turn);
    start(conversationId, { ...body, parent_message_id: parentId }, questionId);
    document.getElementById("main")?.focus({ preventScroll: true });
    // The next question is typed there, unless that would raise a keyboard over the answer.
    focusComposer();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is for all that is in it
    <div
      ref={box}
      className="question-editor"
      onKeyDown={(event) => {
        const { key, target, nativeEvent } = event;
        if (key !== "Escape" || isForInputMethod(nativeEvent)) return;
        if (target instanceof Element && target.closest(closesItself)) return;
        event.stopPropagation();
        cancel();
      }}
    >
      <Composer
        conversationId={conversationId}
        edits={{ draft, parentId, onCancel: cancel }}
        running={false}
        stopping={false}
        refusal={refusal}
        seats={to === null || to === chairman || seats.includes(to) ? seats : [...seats, to]}
        onAsk={ask}
        onStop={never}
      />
    </div>
  );
}
