/** What a reader can do with what is shared, and what its owner can. */
import { useId, useState } from "react";
import { Link, useLocation } from "wouter";
import type { SharedConversation } from "../../api/shares";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { listText } from "../../ui/format";
import { withoutFiles } from "./not-copied";
import { StopSharing } from "./stop";

interface Props {
  makeCopy: () => Promise<{ id: string }>;
  /** The names of those that the copy will be without. */
  files: readonly string[];
}

/** Makes a conversation of the reader's own out of what they read, and leads there. */
export function GoOn({ makeCopy, files }: Props) {
  const [, go] = useLocation();
  const [busy, setBusy] = useState(false);
  const hint = useId();
  const copy = async () => {
    if (busy) return;
    setBusy(true);
    const here = location.pathname;
    try {
      const { id } = await makeCopy();
      // A reader who has gone to another page by then stays there.
      if (location.pathname === here) go(`/c/${id}`, { state: withoutFiles(files) });
    } catch (error) {
      complain(msg("Not copied: {{message}}"))(error);
    }
    setBusy(false);
  };
  return (
    <>
      <button
        type="button"
        className="button button-main"
        aria-disabled={busy}
        aria-describedby={hint}
        onClick={copy}
      >
        {busy ? t("Copying…") : t("Continue as my own")}
      </button>
      <p id={hint} className="quiet">
        {t("It is copied to your conversations.")}{" "}
        {files.length > 0 &&
          t("Files are not copied: questions in your copy are asked without {{files}}.", {
            files: listText(files),
          })}
      </p>
    </>
  );
}

/** The way back to the conversation, and the end of the link. */
export function Mine({ shared }: { shared: SharedConversation }) {
  const [, go] = useLocation();
  const conversation = shared.conversation_id ? `/c/${shared.conversation_id}` : null;
  return (
    <>
      {conversation && (
        <Link href={conversation} className="button">
          {t("Open the conversation")}
        </Link>
      )}
      <StopSharing
        id={shared.id}
        className="button"
        onStopped={() => {
          // Here it can be read no longer.
          if (location.pathname === `/s/${shared.id}`) go(conversation ?? "/");
        }}
      />
    </>
  );
}
