import { type PointerEvent, useRef } from "react";
import { t } from "../../i18n";
import { hostOf } from "./address";
import { entryId, useCiting } from "./context";
import { showSource } from "./jump";

/** The number of a source within a text: a look at it on the way, and the way to it in the list. */
export function SourceNumber({ n }: { n: number }) {
  const { sources, list, show, leave } = useCiting();
  const touched = useRef(false);
  const source = sources.get(n);
  if (!source || list === null) return `[${n}]`;
  const isMouse = (event: PointerEvent) => event.pointerType === "mouse";
  return (
    <a
      href={`#${entryId(list, n)}`}
      className="cite"
      aria-label={t("Source {{n}}: {{title}}, {{host}}", {
        n,
        title: source.title,
        host: hostOf(source),
      })}
      onPointerEnter={(event) => isMouse(event) && show(n, event.currentTarget, "pointer")}
      onPointerLeave={(event) => isMouse(event) && leave("pointer")}
      onPointerDown={(event) => {
        touched.current = !isMouse(event);
      }}
      onFocus={(event) => !touched.current && show(n, event.currentTarget, "focus")}
      onBlur={() => leave("focus")}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        // Where nothing hovers, a tap is the look.
        if (touched.current) show(n, event.currentTarget, "tap");
        else {
          leave("pointer");
          leave("focus");
          showSource(list, n);
        }
        touched.current = false;
      }}
    >
      <span className="visually-hidden">[</span>
      {n}
      <span className="visually-hidden">]</span>
    </a>
  );
}
