/** The server's clock, by which it says since when something goes on: computers are often minutes off it. */

/** What an answer says is cut to whole seconds, and takes a moment to arrive. */
const leastMs = 5_000;

let aheadMs = 0;

export const clock = {
  /** An answer, asked for at this time of this computer, says when it was sent. */
  note({ headers }: Response, askedAt: number) {
    const now = Date.now();
    const by = Date.parse(headers.get("date") ?? "") - now;
    // One that took long may have been sent long ago: the computer has slept.
    if (Number.isNaN(by) || Math.abs(now - askedAt) > leastMs) return;
    aheadMs = Math.abs(by) < leastMs ? 0 : by;
  },
  /** What it shows now, in ms. */
  now: () => Date.now() + aheadMs,
};
