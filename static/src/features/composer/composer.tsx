import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { Problem } from "../../api/problem";
import { useConfig, usePresets } from "../../api/queries";
import type { Ask } from "../../api/types";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";
import { sceneOf, toAsk } from "../options/choices";
import { useOptions } from "../options/option-bar";
import { PresetPicker } from "../presets/preset-picker";
import { drafts, useDraft } from "./draft";

interface Props {
  conversationId: string | null;
  running: boolean;
  stopping: boolean;
  refusal: Problem | null;
  /** Resolves once the question is on its way or was refused; never rejects. */
  onAsk: (body: Ask) => Promise<void>;
  onStop: () => void;
}

export function Composer({ conversationId, running, stopping, refusal, onAsk, onStop }: Props) {
  const draft = useDraft(conversationId);
  const config = useConfig();
  const box = useRef<HTMLTextAreaElement>(null);
  const [sending, setSending] = useState(false);
  const [promptOpen, setPromptOpen] = useState(draft.systemPrompt !== "");
  const id = useId();

  const presets = usePresets();
  const preset = presets.data?.find((one) => one.id === draft.preset) ?? null;
  const scene = useMemo(
    () => sceneOf(draft.choices, config.data, preset),
    [draft.choices, config.data, preset],
  );
  const options = useOptions({
    scene,
    picker: presets.data && presets.data.length > 0 && (
      <PresetPicker
        presets={presets.data}
        chosen={preset?.id ?? null}
        onChange={(id) => drafts.write(conversationId, { preset: id, choices: {} })}
      />
    ),
    onChange: (change) => drafts.choose(conversationId, change),
  });

  const limit = config.data?.limits?.max_content_chars ?? 100_000;
  // The server counts characters, not UTF-16 units; only long texts are worth the difference.
  const length = draft.content.length > limit * 0.9 ? [...draft.content].length : 0;
  const tooLong = length > limit;
  const canSend = draft.content.trim() !== "" && !tooLong && !running && !sending;

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, innerHeight * 0.4)}px`;
  });

  // A new conversation is for typing, where that does not raise a phone's keyboard; an old one is
  // for reading first.
  useEffect(() => {
    if (conversationId === null && matchMedia("(pointer: fine)").matches) {
      box.current?.focus({ preventScroll: true });
    }
  }, [conversationId]);

  const sendNow = async () => {
    if (!canSend) return;
    const body: Ask = { content: draft.content, ...toAsk(scene) };
    if (draft.systemPrompt.trim()) body.system_prompt = draft.systemPrompt;
    setSending(true);
    try {
      await onAsk(body);
    } finally {
      setSending(false);
    }
  };

  return (
    <form
      className="composer"
      aria-label="Ask the council"
      onSubmit={(event) => {
        event.preventDefault();
        sendNow();
      }}
    >
      {refusal && (
        <Notice tone="bad" urgent>
          <strong>Not sent.</strong> {refusal.message}
        </Notice>
      )}
      <div className="composer-box">
        <textarea
          ref={box}
          rows={1}
          aria-label="Your question"
          aria-describedby={`${id}-hint`}
          placeholder={conversationId ? "Ask a follow-up" : "Ask the council anything"}
          value={draft.content}
          onChange={(event) => drafts.write(conversationId, { content: event.target.value })}
          onKeyDown={(event) => {
            // While an input method composes, Enter picks a candidate.
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            sendNow();
          }}
        />
        {promptOpen && (
          <label className="composer-prompt">
            <span>Instructions for every member without a prompt of its own</span>
            <textarea
              rows={2}
              value={draft.systemPrompt}
              onChange={(event) =>
                drafts.write(conversationId, { systemPrompt: event.target.value })
              }
            />
          </label>
        )}
        {conversationId !== null && options.panel}
        <div className="composer-row">
          {options.bar}
          <button
            type="button"
            className="chip"
            aria-expanded={promptOpen}
            onClick={() => setPromptOpen(!promptOpen)}
          >
            Instructions
            {!promptOpen && draft.systemPrompt.trim() !== "" && <span className="chip-dot" />}
          </button>
          {length > 0 && (
            <span className={tooLong ? "counter counter-over" : "counter"} role="status">
              {count(length)} of {count(limit)} characters
            </span>
          )}
          {running ? (
            <button type="button" className="stop-button" onClick={onStop} disabled={stopping}>
              <Icon name="stop" />
              {stopping ? "Stopping…" : "Stop"}
            </button>
          ) : (
            <button type="submit" className="send-button" disabled={!canSend}>
              <Icon name="send" />
              <span>Ask</span>
            </button>
          )}
        </div>
        {/* Opens away from the edge that stays: the button that opened it does not move. */}
        {conversationId === null && options.panel}
      </div>
      <p id={`${id}-hint`} className="visually-hidden">
        Enter sends, Shift and Enter starts a new line.
      </p>
    </form>
  );
}
