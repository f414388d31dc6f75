import { lazy, Suspense, useState } from "react";
import type { Conversation } from "../../api/types";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { orMissing } from "../../ui/part";

const ShareDialog = lazy(() => orMissing(import("./dialog")));

/** The way to the links of a conversation, which few make. */
export function ShareButton({ conversation }: { conversation: Conversation }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="quiet-button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="link" />
        {t("Share…")}
      </button>
      {open && (
        <Suspense fallback={null}>
          <ShareDialog conversation={conversation} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
