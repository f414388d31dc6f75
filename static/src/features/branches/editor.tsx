import { useEffect, useRef, useState } from "react";
import type { Ask } from "../../api/types";
import { t } from "../../i18n";
import { toast } from "../../ui/toast";
import { useRefusals } from "../asking/refusals";
import { start } from "../asking/session";
import { files } from "../attachments/chosen";
import type { AttachedFile } from "../attachments/question-files";
import { Composer } from "../composer/composer";
import { drafts } from "../composer/draft";
import { fork } from "./choose";
import { editing, editOf } from "./editing";
import type { Place } from "./question-tools";

const never = () => undefined;

/** What Escape closes first. */
const closesItself = "dialog, [role=menu], .estimate, .options-panel";

/** What was typed for this question before, or else the question, with the options that are chosen in its conversation. */
function begin(
  place: string,
  conversationId: string,
  question: string,
  attached: readonly AttachedFile[],
) {
  if (drafts.read(place).content !== "") return;
  files.bringBack(
    place,
    attached.map(({ id, filename }) => ({ id, filename })),
  );
  const { systemPrompt, choices, preset, models, chairman } = drafts.read(conversationId);
  drafts.write(place, { content: question, systemPrompt, choices, preset, models, chairman });
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
  /** Those that it came with go with it again, unless they are taken out. */
  files: readonly AttachedFile[];
}

/** A question, open to be asked in another way; nothing that was asked before is lost. */
export default function Editor({ place, question, files: attached }: Props) {
  const { conversationId, questionId, parentId, turn } = place;
  const draft = editOf(questionId);
  const refusal = useRefusals((state) => state.refusals[draft] ?? null);
  const box = useRef<HTMLDivElement>(null);
  useState(() => begin(draft, conversationId, question, attached));
  useEffect(() => {
    const text = box.current?.querySelector("textarea");
    text?.focus();
    text?.setSelectionRange(text.value.length, text.value.length);
  }, []);
  const cancel = () => {
    const typed = drafts.read(draft);
    drafts.clear(draft);
    files.clear(draft);
    editing.open(conversationId, null);
    focusButton(questionId);
    if (typed.content.trim() === question.trim()) return;
    const bringBack = () => {
      drafts.write(draft, typed);
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
    drafts.write(draft, { content: "" });
    files.clear(draft);
    editing.open(conversationId, null);
    fork(conversationId, turn);
    start(conversationId, { ...body, parent_message_id: parentId }, questionId);
    document.getElementById("main")?.focus({ preventScroll: true });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is for all that is in it
    <div
      ref={box}
      className="question-editor"
      onKeyDown={(event) => {
        const { key, target, nativeEvent } = event;
        if (key !== "Escape" || nativeEvent.isComposing) return;
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
        onAsk={ask}
        onStop={never}
      />
    </div>
  );
}
