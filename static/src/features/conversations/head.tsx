import { lazy, type ReactNode, Suspense, useState } from "react";
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
import { RenameBox } from "./rename-box";
import { TagEditor } from "./tags";

const HeadMenu = lazy(() => orMissing(import("./head-menu")));
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

/** Where the title was written anew, and nothing else has been pressed meanwhile, the keys go on from the menu. */
const focusMenu = () =>
  requestAnimationFrame(() => {
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>(".head-menu")?.focus();
  });

/**
 * The title, and what can be done with the whole conversation: the most usual beside it, and the rest, or all where there is no
 * room, in one menu.
 */
export function Head({ conversation, title }: Props) {
  const narrow = useMedia(narrowScreen);
  const [tagging, setTagging] = useState(false);
  const [sharing, setSharing] = useState(false);
  const [renaming, setRenaming] = useState(false);
  const [dialog, setDialog] = useState<ReactNode>(null);
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
  const menu = (
    label: string,
    more: { before: readonly MenuItem[]; passedOn: readonly MenuItem[] },
  ) => (
    <MenuButton
      align="end"
      className="icon-button head-menu"
      label={label}
      list={(at) => (
        <HeadMenu
          at={at}
          conversation={conversation}
          {...more}
          onRename={() => setRenaming(true)}
          onDialog={setDialog}
        />
      )}
    >
      <Icon name="more" />
    </MenuButton>
  );
  return (
    <header className="conversation-head">
      <h1 dir="auto" className={renaming ? "visually-hidden" : undefined}>
        {title}
      </h1>
      {renaming && (
        <RenameBox
          item={conversation}
          onDone={() => {
            setRenaming(false);
            focusMenu();
          }}
        />
      )}
      {conversation.project_id && <ProjectChip id={conversation.project_id} />}
      {conversation.message_count > 0 &&
        (narrow ? (
          <>
            {menu(t("More for this conversation"), {
              before: [{ label: t("Add a tag"), icon: "plus", run: () => setTagging(true) }],
              passedOn: [
                { label: t("Share…"), icon: "link", run: share },
                ...namedExports(exports),
              ],
            })}
            {tags}
          </>
        ) : (
          <>
            {tags}
            <button type="button" className="quiet-button" aria-haspopup="dialog" onClick={share}>
              <Icon name="link" />
              {t("Share…")}
            </button>
            <MenuButton align="end" className="quiet-button" items={exports}>
              <Icon name="download" />
              {t("Export")}
            </MenuButton>
            {menu(t("More actions"), { before: [], passedOn: [] })}
          </>
        ))}
      {dialog}
      {sharing && (
        <Suspense fallback={null}>
          <ShareDialog conversation={conversation} onClose={() => setSharing(false)} />
        </Suspense>
      )}
    </header>
  );
}
