/**
 * Does it once the page has nothing else to do; the function that is returned calls it off. Safari has no such callback:
 * there a pause has to do.
 */
export function whenIdle(work: () => void): () => void {
  if ("requestIdleCallback" in window) {
    const waiting = requestIdleCallback(work, { timeout: 5_000 });
    return () => cancelIdleCallback(waiting);
  }
  const waiting = setTimeout(work, 1_000);
  return () => clearTimeout(waiting);
}
