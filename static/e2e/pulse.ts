/** How a page breathes: the time between its frames, and the tasks that hold them up. */
import type { Page } from "playwright-core";

interface Pulse {
  frames: number[];
  tasks: number[];
}
type Watched = Window & { councilPulse?: Pulse };

/** From now on, in this page and those it becomes. */
export const takePulse = (page: Page) =>
  page.addInitScript(() => {
    const pulse: Pulse = { frames: [], tasks: [] };
    (window as Watched).councilPulse = pulse;
    let before = performance.now();
    const beat = (now: number) => {
      pulse.frames.push(now - before);
      before = now;
      requestAnimationFrame(beat);
    };
    requestAnimationFrame(beat);
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) pulse.tasks.push(duration);
    }).observe({ type: "longtask", buffered: true });
  });

/** What was seen since the last look, in milliseconds. */
export const pulseOf = (page: Page): Promise<Pulse> =>
  page.evaluate(() => {
    const pulse = (window as Watched).councilPulse;
    if (!pulse) throw new Error("nobody takes the pulse of this page");
    const seen = { frames: [...pulse.frames], tasks: [...pulse.tasks] };
    pulse.frames.length = 0;
    pulse.tasks.length = 0;
    return seen;
  });

/**
 * What a fixed piece of work takes this page now, in milliseconds: machines differ, and the same
 * one from hour to hour. The median of a few, of work like that of a page: objects and texts.
 */
export const unitOf = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const once = () => {
      const start = performance.now();
      const kept: { key: string; value: string[] }[] = [];
      for (let at = 0; at < 20_000; at += 1) {
        kept.push({ key: `key ${at % 97}`, value: `a ${at} b ${at * 7} c`.split(" ") });
      }
      kept.sort((a, b) => (a.key < b.key ? -1 : 1));
      return performance.now() - start;
    };
    const all = [1, 2, 3, 4, 5].map(once).toSorted((a, b) => a - b);
    return all[2] ?? 0;
  });

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
