import { lazy, Suspense, useState } from "react";
import type { Conversation } from "../../api/types";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { Icon } from "../../ui/icon";
import { useMedia } from "../../ui/media";
import { MenuButton, type MenuItem } from "../../ui/menu";
import { orMissing } from "../../ui/part";
import { narrowScreen } from "../../ui/sidebar-state";
import { ProjectChip } from "../projects/chip";
import { exportsOf, namedExports } from "./exports";
import { TagEditor } from "./tags";

const ShareDialog = lazy(() => orMissing(import("../sharing/dialog")));

const printing = (): MenuItem => ({
  label: t("Print or PDF"),
  icon: "print",
  run: () => {
    import("../export/print")
      .then(({ print }) => print())
      .catch(complain(msg("Not printed: {{message}}")));
  },
});

interface Props {
  conversation: Conversation;
  title: string;
}

/** The title, and what can be done with the whole conversation: beside it, or in one menu where there is no room. */
export function Head({ conversation, title }: Props) {
  const narrow = useMedia(narrowScreen);
  const [tagging, setTagging] = useState(false);
  const [sharing, setSharing] = useState(false);
  const share = () => setSharing(true);
  const exports = [...exportsOf(conversation.id, conversation.branches), printing()];
  const tags = (
    <TagEditor
      conversation={conversation}
      adding={tagging}
      onAdding={setTagging}
      fromMenu={narrow}
    />
  );
  return (
    <header className="conversation-head">
      <h1 dir="auto">{title}</h1>
      {conversation.project_id && <ProjectChip id={conversation.project_id} />}
      {conversation.message_count > 0 &&
        (narrow ? (
          <>
            <MenuButton
              align="end"
              className="icon-button head-menu"
              label={t("More for this conversation")}
              items={[
                { label: t("Add a tag"), icon: "plus", run: () => setTagging(true) },
                { label: t("Share…"), icon: "link", run: share },
                ...namedExports(exports),
              ]}
            >
              <Icon name="more" />
            </MenuButton>
            {tags}
          </>
        ) : (
          <>
            {tags}
            <button type="button" className="quiet-button" aria-haspopup="dialog" onClick={share}>
              <Icon name="link" />
              {t("Share…")}
            </button>
            <MenuButton align="end" className="quiet-button export-button" items={exports}>
              <Icon name="download" />
              {t("Export")}
            </MenuButton>
          </>
        ))}
      {sharing && (
        <Suspense fallback={null}>
          <ShareDialog conversation={conversation} onClose={() => setSharing(false)} />
        </Suspense>
      )}
    </header>
  );
}
