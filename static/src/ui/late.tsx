/**
 * Parts of the page that come later than its first view, and are fetched before they are wanted: once one is
 * there it is drawn at once, where `lazy` alone would first draw what stands in its place.
 */
import { type ComponentType, createElement, lazy, useState } from "react";

export interface Late<Props> {
  /** Suspends while it is fetched, and throws where it cannot be. */
  readonly View: ComponentType<Props>;
  /** Fetches it, once; after a failure the next call tries again. */
  readonly load: () => Promise<void>;
  /** Like `load`, for callers that need not know how it went. */
  readonly prefetch: () => void;
}

export function late<Props extends object>(
  fetch: () => Promise<{ default: ComponentType<Props> }>,
): Late<Props> {
  let here: ComponentType<Props> | null = null;
  let fetching: Promise<{ default: ComponentType<Props> }> | null = null;
  const fetchOnce = () => {
    fetching ??= fetch().then(
      (module) => {
        here = module.default;
        return module;
      },
      (error: unknown) => {
        fetching = null;
        throw error;
      },
    );
    return fetching;
  };
  const load = async () => {
    await fetchOnce();
  };
  const prefetch = () => {
    load().catch(() => {
      // Who wants it tries again, and says what is wrong.
    });
  };
  const Lazy = lazy(fetchOnce);
  function View(props: Props) {
    // As it was at first: another element in its place would begin anew.
    const [Shown] = useState<ComponentType<Props>>(() => here ?? Lazy);
    return createElement(Shown, props);
  }
  return { View, load, prefetch };
}
