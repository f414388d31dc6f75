/** Short messages at the foot of the page, with at most one action (Undo). */
import { useEffect, useId, useRef } from "react";
import { create } from "zustand";
import { t } from "../i18n";
import { Icon } from "./icon";
import { usePlace } from "./toast-place";

export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "bad";
  /** When it came, in ms. */
  since: number;
  action?: { label: string; run: () => void };
}

const useToasts = create<{ toasts: readonly Toast[] }>(() => ({ toasts: [] }));
let nextId = 1;

const dismiss = (id: number) =>
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));

/** Shows it for a while; the function that is returned takes it away. */
export function toast(text: string, options: Partial<Pick<Toast, "tone" | "action">> = {}) {
  const id = nextId++;
  const entry: Toast = { id, text, tone: "plain", since: Date.now(), ...options };
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.slice(-2), entry] }));
  const end = () => {
    // Not while something in it has the focus.
    if (document.activeElement?.closest(".toasts")) setTimeout(end, 2_000);
    else dismiss(id);
  };
  // Undo needs time to be reached with a keyboard or a screen reader.
  setTimeout(end, entry.action ? 12_000 : 6_000);
  return () => dismiss(id);
}

/** What went wrong on another page is of no use on this one, unless it came with the change of pages. */
export const leaveErrors = () =>
  useToasts.setState(({ toasts }) => ({
    toasts: toasts.filter(({ tone, since }) => tone !== "bad" || Date.now() - since < 1_000),
  }));

/** The places for them on the page, the newest last. */
const usePlaces = create<{ places: readonly string[] }>(() => ({ places: [] }));

/** Drawn in the newest place alone: a modal dialog has its own, since nothing behind it can be pressed or is read out. */
function useIsHere(): boolean {
  const id = useId();
  useEffect(() => {
    usePlaces.setState(({ places }) => ({ places: [...places, id] }));
    return () =>
      usePlaces.setState(({ places }) => ({ places: places.filter((one) => one !== id) }));
  }, [id]);
  return usePlaces(({ places }) => places.at(-1) === id);
}

/** What is pressed goes: the keys go on in the page, or in the dialog that lies over it. */
const leave = (button: Element) =>
  (button.closest("dialog")?.querySelector("button") ?? document.getElementById("main"))?.focus({
    preventScroll: true,
  });

export function Toasts() {
  const toasts = useToasts((state) => state.toasts);
  const here = useIsHere();
  const region = useRef<HTMLDivElement>(null);
  usePlace(region);
  return (
    <div ref={region} className="toasts" role="status" aria-live="polite">
      {(here ? toasts : []).map((entry) => (
        <div key={entry.id} className={`toast toast-${entry.tone}`}>
          <span>{entry.text}</span>
          {entry.action && (
            <button
              type="button"
              className="toast-action"
              onClick={(event) => {
                leave(event.currentTarget);
                entry.action?.run();
                dismiss(entry.id);
              }}
            >
              {entry.action.label}
            </button>
          )}
          <button
            type="button"
            className="icon-button"
            aria-label={t("Dismiss")}
            onClick={(event) => {
              leave(event.currentTarget);
              dismiss(entry.id);
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
