import { lazy, type ReactNode, Suspense } from "react";
import type { Conversation } from "../../api/types";
import { msg, t } from "../../i18n";
import type { MenuItem, MenuPlace } from "../../ui/menu";
import { orMissing } from "../../ui/part";
import { toast } from "../../ui/toast";
import type { pin } from "./changes";
import EntryMenu from "./entry-menu";
import { titleOf } from "./title";

const MoveToFolder = lazy(() => orMissing(import("../folders/move-dialog")));

interface Props {
  at: MenuPlace;
  conversation: Conversation;
  /** What else can be done. */
  before: readonly MenuItem[];
  /** How it is shared and saved, where it has no buttons of its own for that. */
  passedOn: readonly MenuItem[];
  onRename: () => void;
  /** What is to be shown over the page; null once that is over. */
  onDialog: (dialog: ReactNode) => void;
}

/** What can be done with the conversation that is open: the same as in the list. */
export default function HeadMenu({ at, conversation, before, passedOn, ...acts }: Props) {
  const { onRename, onDialog } = acts;
  const change = async (by: typeof pin) => {
    const pinned = !conversation.pinned;
    if (!(await by(conversation, pinned))) return;
    const done = pinned ? msg("“{{title}}” was pinned.") : msg("“{{title}}” is no longer pinned.");
    toast(t(done, { title: titleOf(conversation) }));
  };
  const close = () => onDialog(null);
  const file = () =>
    onDialog(
      <Suspense fallback={null}>
        <MoveToFolder items={[conversation]} onClose={close} onMoved={close} />
      </Suspense>,
    );
  return (
    <EntryMenu
      at={at}
      item={conversation}
      before={before}
      passedOn={passedOn}
      onRename={onRename}
      onPin={(_, by) => change(by)}
      onFile={file}
      onDialog={onDialog}
    />
  );
}
