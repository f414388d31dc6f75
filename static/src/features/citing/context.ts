/** The sources of the run that is shown, for whatever shows a number of one. */
import { createContext, useContext } from "react";
import type { FoundSource } from "../../api/types";

export interface Citing {
  /** By their numbers. */
  readonly sources: ReadonlyMap<number, FoundSource>;
  /** What the ids of the list's entries begin with; null where there is no run. */
  readonly list: string | null;
  /** Shows what is known of a source next to `anchor`, or hides it. */
  readonly show: (n: number, anchor: HTMLElement, by: "pointer" | "focus" | "tap") => void;
  readonly leave: (by: "pointer" | "focus") => void;
}

const nothing: Citing = {
  sources: new Map(),
  list: null,
  show: () => undefined,
  leave: () => undefined,
};

export const CitingContext = createContext<Citing>(nothing);
export const useCiting = () => useContext(CitingContext);

/** The entry of a source in the list of its run. */
export const entryId = (list: string, n: number) => `${list}-${n}`;
