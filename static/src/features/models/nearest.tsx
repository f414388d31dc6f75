import { t } from "../../i18n";

interface Props {
  /** The model that is gone. */
  model: string;
  /** The models on offer that are most like it, the nearest first. */
  nearest: readonly string[];
  busy?: boolean;
  onChoose: (model: string, button: HTMLElement) => void;
}

/** Buttons that put a model on offer in the place of one that is gone. */
export function Nearest({ model, nearest, busy = false, onChoose }: Props) {
  const buttons = nearest.map((near) => (
    <button
      key={near}
      type="button"
      className="button nearest"
      aria-label={t("Use {{nearest}} in the place of {{model}}", { nearest: near, model })}
      aria-disabled={busy}
      onClick={(event) => onChoose(near, event.currentTarget)}
    >
      {t("Use {{nearest}}", { nearest: near })}
    </button>
  ));
  return <div className="nearest-ways">{buttons}</div>;
}
