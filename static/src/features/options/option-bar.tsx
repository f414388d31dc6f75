import { type KeyboardEvent, lazy, type ReactNode, Suspense, useId, useRef, useState } from "react";
import type { Ask } from "../../api/types";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { useMedia } from "../../ui/media";
import { MenuButton } from "../../ui/menu";
import { orMissing } from "../../ui/part";
import { toast } from "../../ui/toast";
import type { Choices } from "../feature";
import { chosen, council, formatIn, formatsOf, type Scene } from "./choices";

const OptionList = lazy(() => orMissing(import("./option-list")));
// On a phone.
const Sheet = lazy(() => orMissing(import("./sheet")));

export interface OptionBarProps {
  scene: Scene;
  /** Which council is asked; none where there is no other. */
  picker: ReactNode;
  /** The question that is typed. */
  question: string;
  /** The question as it would be asked, where that can be done on a schedule. */
  scheduled?: Ask | null;
  onChange: (change: Partial<Choices>) => void;
}

/** Enter in a field sends the form around it: to choose an option must not ask. */
export function keepFromAsking(event: KeyboardEvent) {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
}

/**
 * The options of the next run: `bar` is a button that opens them all, and a chip for each that is on;
 * `panel` is where they open.
 */
export function useOptions(props: OptionBarProps) {
  const { scene, picker, onChange } = props;
  const [open, setOpen] = useState(false);
  const narrow = useMedia("(max-width: 859px)");
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const format = formatIn(scene.choices);
  // The format has a button of its own.
  const on = chosen(scene).filter(({ key }) => key !== "mode");
  const label = t("Format: {{format}}", { format: t(format.title) });
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const bar = (
    <>
      {!narrow && picker}
      {(!narrow || format !== council) && (
        <MenuButton
          className={format === council ? "chip format-chip" : "chip chip-chosen format-chip"}
          label={label}
          items={formatsOf(scene.config).map((one) => ({
            label: t(one.title),
            hint: t(one.good),
            ...(one === format && { icon: "check" as const }),
            run: () => onChange(one.ask),
          }))}
        >
          {narrow || !picker ? t(format.short) : label}
          <Icon name="chevron" />
        </MenuButton>
      )}
      <button
        ref={button}
        type="button"
        className="chip"
        aria-expanded={open}
        aria-haspopup={narrow ? "dialog" : undefined}
        aria-controls={open && !narrow ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name="settings" />
        {narrow && scene.preset && `${scene.preset.name} `}
        <span className={narrow && scene.preset ? "visually-hidden" : undefined}>
          {t("Options")}
        </span>
        {on.length > 0 && ` (${on.length})`}
      </button>
      {!narrow &&
        on.map(({ key, text, off, wrote }) => (
          <button
            key={key}
            type="button"
            className="chip chip-chosen"
            aria-label={t("Take back: {{option}}", { option: text })}
            onClick={() => {
              onChange(off);
              button.current?.focus();
              if (!wrote) return;
              toast(t("What you wrote was put away."), {
                action: { label: t("Undo"), run: () => onChange(wrote) },
              });
            }}
          >
            {text}
            <Icon name="close" />
          </button>
        ))}
    </>
  );
  const panel = !open ? null : narrow ? (
    <Suspense fallback={null}>
      <Sheet {...props} onClose={close} />
    </Suspense>
  ) : (
    <section
      id={id}
      className="options-panel"
      aria-labelledby={`${id}-title`}
      onKeyDown={(event) => {
        keepFromAsking(event);
        if (event.key === "Escape") close();
      }}
    >
      <h2 id={`${id}-title`} className="visually-hidden">
        {t("Options")}
      </h2>
      <Suspense fallback={<p className="quiet">{t("Loading…")}</p>}>
        <OptionList {...props} />
      </Suspense>
    </section>
  );
  return { bar, panel };
}
