import "../../styles/folders.css";
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useId, useRef, useState } from "react";
import { type Folder, mostInFolder } from "../../api/folders";
import { asProblem } from "../../api/problem";
import type { ConversationSummary } from "../../api/types";
import { t } from "../../i18n";
import { passFocusOn } from "../../ui/focus";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { ListHead } from "../../ui/list-head";
import { MenuButton } from "../../ui/menu";
import { orMissing } from "../../ui/part";
import { useDrop } from "./drag";
import { openFolder } from "./open";
import type { ShownFolder } from "./shown";

const DeleteDialog = lazy(() => orMissing(import("./delete-dialog")));
const NameDialog = lazy(() => orMissing(import("./name-dialog")));

interface FolderProps extends ShownFolder {
  draw: (item: ConversationSummary) => ReactNode;
  /** Those of its conversations that stand above and not here, too: while several are chosen, each stands once. */
  above: readonly ConversationSummary[];
  onDrop: (item: ConversationSummary, folder: Folder) => void;
}

function FolderRow({ folder, isOpen, items, failed, draw, above, onDrop }: FolderProps) {
  const { id, name } = folder;
  const body = useId();
  const row = useRef<HTMLLIElement>(null);
  const [asked, setAsked] = useState<"rename" | "delete" | null>(null);
  const { isOver, place } = useDrop(
    (item) => item.folder_id !== id,
    (item) => onDrop(item, folder),
  );
  const inside = folder.conversation_count;
  const beyond = inside - mostInFolder;
  const byKey = (event: KeyboardEvent) => {
    if (event.key !== (isOpen ? "ArrowLeft" : "ArrowRight")) return;
    event.preventDefault();
    openFolder(id, !isOpen);
  };
  return (
    <li ref={row} className={isOver ? "folder drop-here" : "folder"} {...place}>
      <div className="entry">
        <button
          type="button"
          className="folder-toggle"
          data-folder={id}
          aria-expanded={isOpen}
          aria-controls={isOpen ? body : undefined}
          title={name}
          onClick={() => openFolder(id, !isOpen)}
          onKeyDown={byKey}
        >
          <Icon name="chevron" />
          <span dir="auto" className="entry-title">
            {name}
          </span>
          <span className="folder-count">
            <span aria-hidden="true">{count(inside)}</span>
            <span className="visually-hidden">
              {t("{{count, number}} conversations", { count: inside })}
            </span>
          </span>
        </button>
        <span className="entry-actions">
          <MenuButton
            className="icon-button"
            label={t("More for the folder {{name}}", { name })}
            items={[
              { label: t("Rename"), icon: "pencil", run: () => setAsked("rename") },
              {
                label: t("Delete folder…"),
                icon: "trash",
                tone: "bad",
                run: () => setAsked("delete"),
              },
            ]}
          >
            <Icon name="more" />
          </MenuButton>
        </span>
      </div>
      {isOpen && (
        <ul id={body}>
          {items?.filter((item) => !above.some(({ id }) => id === item.id)).map(draw)}
          {failed && (
            <li className="quiet">
              {asProblem(failed.error).message}{" "}
              <button type="button" className="quiet-button" onClick={() => failed.refetch()}>
                {t("Try again")}
              </button>
            </li>
          )}
          {items?.length === 0 && (
            <li className="quiet">
              {t("Nothing is in this folder. Drag conversations here, or move them by their menu.")}
            </li>
          )}
          {beyond > 0 && (
            <li className="quiet">
              {t("{{count, number}} more can be found by searching.", { count: beyond })}
            </li>
          )}
        </ul>
      )}
      {asked === "rename" && (
        <Suspense fallback={null}>
          <NameDialog folder={folder} onClose={() => setAsked(null)} />
        </Suspense>
      )}
      {asked === "delete" && (
        <Suspense fallback={null}>
          <DeleteDialog
            folder={folder}
            onClose={() => setAsked(null)}
            onGone={() => passFocusOn(row.current, ".folder-toggle", ".new-button")}
          />
        </Suspense>
      )}
    </li>
  );
}

export interface FoldersProps extends Pick<FolderProps, "draw" | "above" | "onDrop"> {
  folders: readonly ShownFolder[];
}

/** The reader's folders, each with its conversations while it is open, and the way to a new one. */
export default function SidebarFolders({ folders, ...rest }: FoldersProps) {
  const [making, setMaking] = useState(false);
  return (
    <section aria-label={t("Folders")}>
      <ListHead name={t("Folders")} add={t("New folder")} onAdd={() => setMaking(true)} />
      <ul>
        {folders.map((shown) => (
          <FolderRow key={shown.folder.id} {...shown} {...rest} />
        ))}
      </ul>
      {making && (
        <Suspense fallback={null}>
          <NameDialog onClose={() => setMaking(false)} />
        </Suspense>
      )}
    </section>
  );
}
