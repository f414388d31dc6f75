import { useState } from "react";
import { t } from "../i18n";
import { withoutHidden } from "../markdown/hidden";
import { Icon } from "./icon";
import { toast } from "./toast";

interface Props {
  label: string;
  /** What it is called where the label alone does not say of what. */
  name?: string;
  text: () => string;
  /** What a keyboard shortcut finds it by. */
  copies?: "final";
}

/** Copies text without what nobody sees in it; made only when asked for, since a whole deliberation is long. */
export function CopyButton({ label, name, text, copies }: Props) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(withoutHidden(text()));
      setDone(true);
      setTimeout(() => setDone(false), 2000);
    } catch {
      toast(t("The browser did not allow copying. Select the text and copy it by hand."), {
        tone: "bad",
      });
    }
  };
  return (
    <button
      type="button"
      className="quiet-button"
      aria-label={done ? undefined : name}
      data-copies={copies}
      onClick={copy}
    >
      <Icon name={done ? "check" : "copy"} />
      {done ? t("Copied") : label}
    </button>
  );
}
