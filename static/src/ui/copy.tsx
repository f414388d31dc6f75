import { useState } from "react";
import { Icon } from "./icon";
import { toast } from "./toast";

/** Copies text; made only when asked for, since a whole deliberation is long. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setDone(true);
      setTimeout(() => setDone(false), 2000);
    } catch {
      toast("The browser did not allow copying. Select the text and copy it by hand.", {
        tone: "bad",
      });
    }
  };
  return (
    <button type="button" className="quiet-button" onClick={copy}>
      <Icon name={done ? "check" : "copy"} />
      {done ? "Copied" : label}
    </button>
  );
}
