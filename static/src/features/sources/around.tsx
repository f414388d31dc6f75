import {
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { type Cites, CitesContext } from "../../markdown/cites";
import { anchorOf, type RunState } from "../../run/state";
import { orNothing } from "../../ui/part";
import { type Citing, CitingContext } from "../citing/context";
import { SourceNumber } from "../citing/number";
import { sourcesOf } from "./state";

const SourceCard = lazy(() => orNothing(import("../citing/card")));

/** The pointer's way from a number to its card is a gap wide. */
const graceMs = 200;

interface Open {
  n: number;
  anchor: HTMLElement;
  by: "pointer" | "focus" | "tap";
}

/** Where the list of a run's sources stands on the page. */
export const listId = (run: RunState) => `sources-${anchorOf(run)}`;

/** Lets every text of a run lead to its sources, and shows one next to its number. */
export function Around({ run, children }: { run: RunState; children: ReactNode }) {
  const [open, setOpen] = useState<Open | null>(null);
  const timer = useRef(0);
  const all = sourcesOf(run);
  const list = listId(run);
  const stay = useCallback(() => window.clearTimeout(timer.current), []);
  const close = useCallback(() => setOpen(null), []);
  const leave = useCallback<Citing["leave"]>((by) => {
    window.clearTimeout(timer.current);
    if (by === "focus") setOpen((now) => (now?.by === "focus" ? null : now));
    else
      timer.current = window.setTimeout(
        () => setOpen((now) => (now?.by === "pointer" ? null : now)),
        graceMs,
      );
  }, []);
  useEffect(() => stay, [stay]);
  const citing = useMemo<Citing>(
    () => ({
      sources: new Map(all.map((source) => [source.n, source])),
      list,
      show: (n, anchor, by) => {
        window.clearTimeout(timer.current);
        setOpen({ n, anchor, by });
      },
      leave,
    }),
    [all, list, leave],
  );
  const cites = useMemo<Cites | null>(
    () => (all.length > 0 ? { known: new Set(all.map(({ n }) => n)), Cite: SourceNumber } : null),
    [all],
  );
  const source = open && citing.sources.get(open.n);
  return (
    <CitingContext value={citing}>
      <CitesContext value={cites}>
        {children}
        {open && source && (
          <Suspense fallback={null}>
            <SourceCard
              source={source}
              anchor={open.anchor}
              list={list}
              onEnter={stay}
              onLeave={() => leave("pointer")}
              onClose={close}
            />
          </Suspense>
        )}
      </CitesContext>
    </CitingContext>
  );
}
