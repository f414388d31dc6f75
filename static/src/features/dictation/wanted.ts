/** Whether there is a microphone in the box: only where somebody has said so, since a browser may send their voice away. */
import { create } from "zustand";
import { kept } from "../../ui/kept";

const key = "dictation";

/** What this page uses of a browser's speech recognition. */
export interface Recognition {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  onresult: ((event: Heard) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
  start: () => void;
  stop: () => void;
  abort: () => void;
}
export interface Heard {
  results: ArrayLike<{ isFinal: boolean; 0?: { transcript: string } }>;
}

/** The browser's own, if it has one; some have it under a name of their own. */
export function recognition(): (new () => Recognition) | null {
  if (!isSecureContext) return null;
  const known = window as unknown as Record<string, (new () => Recognition) | undefined>;
  return known.SpeechRecognition ?? known.webkitSpeechRecognition ?? null;
}

export const useDictation = create<{ on: boolean }>(() => ({ on: kept.read(key) === "on" }));

export function wantDictation(on: boolean) {
  kept.write(key, on ? "on" : null);
  useDictation.setState({ on });
}
