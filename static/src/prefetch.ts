/**
 * What the next step will need is fetched while there is nothing else to do: the first question then waits for no code, and
 * a server that is updated meanwhile takes nothing away from a page that is open.
 */
import { asProblem } from "./api/problem";
import { loadMarkdown } from "./markdown/markdown";
import { Turns } from "./pages/conversation";
import { whenIdle } from "./ui/idle";

/** In the order in which they are likely to be wanted. */
const rest: readonly (() => Promise<unknown>)[] = [
  Turns.load,
  () => import("./features/asking/session"),
  loadMarkdown,
  () => import("./features/options/sheet"),
  () => import("./features/composer/estimate"),
  () => import("./api/refusals"),
];

/** How long after a cut it is tried again. */
const againMs = 60_000;

/**
 * Nothing to fetch ahead, but a notice for those whom it concerns; nobody waits for it either. So nobody would miss it: where a
 * cut or a restart takes it away, it is tried until it is there.
 */
export async function tell(): Promise<void> {
  try {
    await (await import("./features/own-data/told")).watch();
  } catch (error) {
    const { kind } = asProblem(error);
    if (kind === "network" || kind === "restarting") setTimeout(tell, againMs);
  }
}

/** How many of them are fetched even where data is to be saved: no question can be asked without them. */
const atLeast = 2;

const savesData = () => {
  const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
  return connection?.saveData === true;
};

/** One after the other. One that fails is fetched again when it is wanted, and missed then. */
export function prefetchRest(): void {
  const wanted = [...(savesData() ? rest.slice(0, atLeast) : rest), tell];
  const next = (at: number) => {
    const load = wanted[at];
    if (!load) return;
    whenIdle(() => {
      const go = () => next(at + 1);
      load().then(go, go);
    });
  };
  next(0);
}
