/**
 * The runs this page follows now, one per conversation. They outlive the view: a person may read
 * another conversation while the council works, and find it further on when coming back. Every page looks
 * whether there are any; what follows them (`live.ts`) comes with the first.
 */
import { create } from "zustand";
import type { Problem } from "../../api/problem";
import type { RunState } from "../../run/state";
import type { Link } from "../../stream/resume";
import type { Asked } from "../attachments/chosen";
import type { Choices } from "../feature";

export interface LiveRun {
  /** The question as asked on this page; null when an existing run was picked up. */
  question: string | null;
  /** The files that it comes with. */
  attachments: Asked;
  /** The conversation begins with it: until it is taken the server has none. */
  begins: boolean;
  /** The project that it begins in. */
  project?: string | null;
  /** Where its question stands, if the page has said so: the answer that it goes on from, or null at the beginning. */
  parent: string | null | undefined;
  /** The question that it was asked in the place of. */
  edits: string | null;
  /** The one seat that was asked; none: the council. */
  to?: string | null;
  /** What was written for it alone. */
  written?: Partial<Choices>;
  /** How many messages the page knew of when it asked: one that knows of more knows where the answer is. Null where
   * an existing run was picked up. */
  knew: number | null;
  /** Since when this page follows it, in ms as the clock counts them. */
  since: number;
  run: RunState;
  link: Link;
  /** Set when the server refused; the run, if there is one, is not known to have ended. */
  refused: Problem | null;
  /** Somebody wants it to stop. One that has no run yet is stopped as soon as it has. */
  stopping: boolean;
  /** This page follows it no longer: it has ended, or the server refused. */
  over: boolean;
}

interface LiveRuns {
  runs: Readonly<Record<string, LiveRun>>;
}

export const useLiveRuns = create<LiveRuns>(() => ({ runs: {} }));

/** Who follows each, and how to make them leave. */
export const followed = new Map<string, AbortController>();

export const isFollowed = (conversationId: string) => followed.has(conversationId);
