import { useEffect, useId, useRef } from "react";
import type { Content, Entry } from "../../api/library";
import { t } from "../../i18n";
import { Changes } from "../../ui/changes";
import { count } from "../../ui/format";
import { Notice } from "../../ui/notice";

interface Props {
  /** What it says now. */
  now: Entry;
  mine: Content;
  busy: boolean;
  onSaveMine: () => void;
  onTakeIt: () => void;
}

/**
 * Another version was saved meanwhile, in another tab or on another device: what it says now stands beside what is typed, and
 * neither button loses that.
 */
export function Conflict({ now, mine, busy, onSaveMine, onTakeIt }: Props) {
  const title = useId();
  const place = useRef<HTMLDivElement>(null);
  const version = count(now.version);
  // Again where yet another one has come while this one was looked at.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new is read out
  useEffect(() => place.current?.focus(), [now.version]);
  return (
    <Notice tone="warn">
      {/* biome-ignore lint/a11y/useSemanticElements: no set of fields */}
      <div
        ref={place}
        role="group"
        tabIndex={-1}
        className="library-conflict"
        aria-labelledby={title}
      >
        <p id={title}>
          <strong>{t("Not saved: version {{version}} was saved meanwhile.", { version })}</strong>{" "}
          {t("What you wrote is still here. This is what version {{version}} says:", { version })}
        </p>
        {now.name !== mine.name && (
          <p dir="auto" className="library-name">
            {now.name}
          </p>
        )}
        <pre dir="auto" className="library-said">
          {now.text}
        </pre>
        {now.shared !== mine.shared && (
          <p className="quiet">
            {now.shared ? t("It is shared with everybody now.") : t("It is not shared now.")}
          </p>
        )}
        <Changes before={now.text} after={mine.text} />
        <div className="library-acts">
          <button type="button" className="button" aria-disabled={busy} onClick={onSaveMine}>
            {t("Save mine as the next version")}
          </button>
          <button type="button" className="button" aria-disabled={busy} onClick={onTakeIt}>
            {t("Go on with version {{version}}", { version })}
          </button>
        </div>
      </div>
    </Notice>
  );
}
