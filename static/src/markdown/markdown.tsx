/**
 * A model's text as safe elements. Nothing in it runs, nothing in it loads: no raw HTML, no
 * scripts, links open apart and say where they lead, images are not fetched.
 *
 * The reader of Markdown is fetched once the page stands; until then a text is shown as written.
 */
import { memo, useEffect, useSyncExternalStore } from "react";
import type { TextView } from "./text";

export interface Props {
  text: string;
  /** The text is still growing: unfinished marks are closed for display. */
  streaming?: boolean;
  /** "Response A" → the name to show in its place. Keep the object's identity. */
  names?: Readonly<Record<string, string>> | undefined;
}

let reader: typeof TextView | null = null;
let fetching: Promise<void> | undefined;
const waiting = new Set<() => void>();

function subscribe(tell: () => void) {
  waiting.add(tell);
  return () => {
    waiting.delete(tell);
  };
}

export function loadMarkdown(): Promise<void> {
  fetching ??= import("./text").then(
    (module) => {
      reader = module.TextView;
      for (const tell of [...waiting]) tell();
    },
    () => {
      // What is shown as written can be read as well; the next text tries again.
      fetching = undefined;
    },
  );
  return fetching;
}

/** What is shown of a text while the reader is fetched. */
const beginning = 20_000;

export const Markdown = memo(function Markdown(props: Props) {
  const View = useSyncExternalStore(subscribe, () => reader);
  useEffect(() => {
    if (!View) loadMarkdown();
  }, [View]);
  return (
    // Once it is written a browser may translate it; the page itself may not be (`index.html`).
    <div className="markdown" translate={props.streaming ? "no" : "yes"}>
      {View ? (
        <View {...props} />
      ) : (
        <div className="md-source">{props.text.slice(0, beginning)}</div>
      )}
    </div>
  );
});
