import { lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from "react";
import { Icon } from "../../ui/icon";
import { useMedia } from "../../ui/media";
import { type Choices, chosen, type Scene } from "./choices";

const OptionList = lazy(() => import("./option-list"));

interface Props {
  scene: Scene;
  /** Which council is asked; none where there is no other. */
  picker: ReactNode;
  onChange: (change: Partial<Choices>) => void;
}

/** The list on a phone: a sheet from the foot of the screen. */
function Sheet({ onClose, picker, ...props }: Props & { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="sheet"
      aria-labelledby={`${id}-title`}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
      onKeyDown={(event) => {
        // The form around it takes Enter and Escape otherwise.
        event.stopPropagation();
      }}
    >
      <div className="sheet-body">
        <header className="sheet-head">
          <h2 id={`${id}-title`}>Options</h2>
          <button type="button" className="button" onClick={() => dialog.current?.close()}>
            Done
          </button>
        </header>
        {picker && <div className="sheet-picker">{picker}</div>}
        <Suspense fallback={<p className="quiet">Loading…</p>}>
          <OptionList {...props} />
        </Suspense>
      </div>
    </dialog>
  );
}

/**
 * The options of the next run: `bar` is a button that opens them all, and a chip for each that is on;
 * `panel` is where they open.
 */
export function useOptions(props: Props) {
  const { scene, picker, onChange } = props;
  const [open, setOpen] = useState(false);
  const narrow = useMedia("(max-width: 859px)");
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const on = chosen(scene);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const bar = (
    <>
      {!narrow && picker}
      <button
        ref={button}
        type="button"
        className="chip"
        aria-label={on.length > 0 ? `Options (${on.length})` : "Options"}
        aria-expanded={open}
        aria-haspopup={narrow ? "dialog" : undefined}
        aria-controls={open && !narrow ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name="settings" />
        {narrow && scene.preset ? scene.preset.name : "Options"}
        {on.length > 0 && ` (${on.length})`}
      </button>
      {!narrow &&
        on.map(({ key, text, off }) => (
          <button
            key={key}
            type="button"
            className="chip chip-chosen"
            aria-label={`Take back: ${text}`}
            onClick={() => {
              onChange(off);
              button.current?.focus();
            }}
          >
            {text}
            <Icon name="close" />
          </button>
        ))}
    </>
  );
  const panel = !open ? null : narrow ? (
    <Sheet {...props} onClose={close} />
  ) : (
    <section
      id={id}
      className="options-panel"
      aria-labelledby={`${id}-title`}
      onKeyDown={(event) => {
        if (event.key === "Escape") close();
      }}
    >
      <h2 id={`${id}-title`} className="visually-hidden">
        Options
      </h2>
      <Suspense fallback={<p className="quiet">Loading…</p>}>
        <OptionList {...props} />
      </Suspense>
    </section>
  );
  return { bar, panel };
}
