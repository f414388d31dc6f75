import { lazy, type ReactNode, type RefObject, Suspense } from "react";
import { useLocation } from "wouter";
import { keys, queryClient } from "../../api/queries";
import type { Conversation, ConversationSummary } from "../../api/types";
import { t } from "../../i18n";
import { passFocusOn } from "../../ui/focus";
import type { MenuItem, MenuPlace } from "../../ui/menu";
import MenuList from "../../ui/menu-list";
import { orMissing } from "../../ui/part";
import { archive, pin, remove } from "./changes";
import { exportsOf, namedExports } from "./exports";

const MoveToProject = lazy(() => orMissing(import("../projects/move-dialog")));
const ShareDialog = lazy(() => orMissing(import("../sharing/dialog")));

/** What the entry does when something is chosen. */
export interface EntryActs {
  onRename: () => void;
  /** Pins or unpins it by calling `by`: the list moves the entry. */
  onPin: (item: ConversationSummary, by: typeof pin) => void;
  /** It is to be put into a folder, or taken out of one. */
  onFile: (item: ConversationSummary) => void;
  /** What is to be shown over the page; null once that is over. */
  onDialog: (dialog: ReactNode) => void;
}

interface Props extends EntryActs {
  at: MenuPlace;
  item: ConversationSummary;
  /** The entry in the list; none where what the menu belongs to stays. */
  place?: RefObject<HTMLElement | null>;
  /** What else can be done. */
  before?: readonly MenuItem[];
  /** How it is shared and saved, where that is not as in the list. */
  passedOn?: readonly MenuItem[];
}

/** What can be done with a conversation, in the list and where it is open: fetched with the first menu that is opened. */
export default function EntryMenu({ at, item, place, before = [], ...rest }: Props) {
  const { onRename, onPin, onFile, onDialog } = rest;
  const [location, go] = useLocation();
  const isOpen = location === `/c/${item.id}`;
  const close = () => onDialog(null);
  const show = (dialog: ReactNode) => onDialog(<Suspense fallback={null}>{dialog}</Suspense>);
  const away = (change: () => Promise<unknown>) => () => {
    if (place) passFocusOn(place.current, "a", ".new-button");
    change();
  };
  const known = queryClient.getQueryData<Conversation>(keys.conversation(item.id));
  const share = () => {
    // The branch that is shown; for a conversation that is not open, the one that the server remembers.
    const conversation = (isOpen && known) || item;
    show(<ShareDialog conversation={conversation} onClose={close} />);
  };
  const passedOn: readonly MenuItem[] =
    rest.passedOn ??
    (item.message_count > 0
      ? [
          { label: t("Share…"), icon: "link", run: share },
          ...namedExports(exportsOf(item.id, known?.branches ?? 1)),
        ]
      : []);
  const items: readonly MenuItem[] = [
    ...before,
    { label: t("Rename"), icon: "pencil", run: onRename },
    ...(item.archived
      ? []
      : [
          {
            label: item.pinned ? t("Unpin") : t("Pin"),
            icon: "pin" as const,
            run: () => onPin(item, pin),
          },
          {
            label: t("Move to folder…"),
            icon: "folder" as const,
            run: () => onFile(item),
          },
        ]),
    {
      label: t("Move to project…"),
      icon: "team",
      run: () => show(<MoveToProject item={item} onClose={close} />),
    },
    ...passedOn,
    {
      label: item.archived ? t("Restore") : t("Archive"),
      icon: "archive",
      run: away(() => archive(item, !item.archived)),
    },
    {
      label: t("Delete"),
      icon: "trash",
      tone: "bad",
      run: away(() => remove(item, { is: isOpen, go })),
    },
  ];
  return <MenuList {...at} items={items} />;
}
