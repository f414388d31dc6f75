import { lazy, type ReactNode, Suspense, useEffect, useId, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useTags } from "../../api/queries";
import type { ConversationSummary } from "../../api/types";
import { t } from "../../i18n";
import { isForInputMethod } from "../../ui/composing";
import { Confirm } from "../../ui/confirm";
import { Icon, type IconName } from "../../ui/icon";
import { Notice } from "../../ui/notice";
import { orMissing } from "../../ui/part";
import type { Choosing } from "./choosing";
import { archiveAll, type Failed, failureText, removeAll, tagAll } from "./together";
import { tagLength } from "./wrong";

const MoveDialog = lazy(() => orMissing(import("../folders/move-dialog")));

type Way = "archive" | "tag" | "folder" | "delete";

function Tool(props: { icon: IconName; name: string; off: boolean; onPress: () => void }) {
  const { icon, name, off, onPress } = props;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={name}
      title={name}
      aria-disabled={off}
      onClick={off ? undefined : onPress}
    >
      <Icon name={icon} />
    </button>
  );
}

interface TagFormProps {
  count: number;
  text: string;
  onText: (text: string) => void;
  onTag: (tag: string) => void;
  onCancel: () => void;
}

function TagForm({ count, text, onText, onTag, onCancel }: TagFormProps) {
  const known = useTags().data;
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <form
      className="choosing-tag"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") onTag(text.trim().toLowerCase());
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isForInputMethod(event.nativeEvent)) return;
        // Leaves the box only.
        event.preventDefault();
        event.stopPropagation();
        onCancel();
      }}
    >
      <label htmlFor={id}>{t("A tag for {{count, number}} conversations", { count })}</label>
      <div>
        <input
          ref={box}
          id={id}
          className="rename"
          list={`${id}-known`}
          maxLength={tagLength}
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
        <button type="submit" className="button" aria-disabled={text.trim() === ""}>
          {t("Add")}
        </button>
      </div>
      <datalist id={`${id}-known`}>
        {[...new Set([...(known?.tags ?? []), ...(known?.suggestions ?? [])])].map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </form>
  );
}

interface Asked {
  title: string;
  text: ReactNode;
  label: string;
  tone: "main" | "danger";
}

interface Props {
  items: readonly ConversationSummary[];
  choosing: Choosing;
  archived: boolean;
}

/** How many are chosen, and what can be done with all of them. What fails is named, and stays chosen. */
export default function ChoosingBar({ items, choosing, archived }: Props) {
  const { chosen, set, leave } = choosing;
  const [, go] = useLocation();
  const [way, setWay] = useState<Way | null>(null);
  const [tag, setTag] = useState("");
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const bar = useRef<HTMLDivElement>(null);
  const count = chosen.length;
  const off = count === 0 || busy;

  /** Does it with all of them; `again` is the way to it, where that has what was typed. */
  const run = async (
    act: (items: readonly ConversationSummary[]) => Promise<Failed[]>,
    again: Way | null = null,
  ) => {
    setWay(null);
    setBusy(true);
    setFailed([]);
    const left = await act(chosen);
    setBusy(false);
    if (left.length === 0) return leave();
    setWay(again);
    setFailed(left);
    set(left.map(({ item }) => item.id));
    bar.current?.focus();
  };
  const remove = () =>
    run(async (those) => {
      const left = await removeAll(those);
      const gone = those.filter(({ id }) => !left.some(({ item }) => item.id === id));
      if (gone.some(({ id }) => location.pathname === `/c/${id}`)) go("/");
      return left;
    });

  const asked: Asked | null =
    way === "delete"
      ? {
          title: t("Delete {{count, number}} conversations?", { count }),
          text: t("Deleted conversations can be restored for 30 days."),
          label: t("Delete"),
          tone: "danger",
        }
      : way === "archive"
        ? archived
          ? {
              title: t("Restore {{count, number}} conversations?", { count }),
              text: t("Restored conversations are in the list again."),
              label: t("Restore"),
              tone: "main",
            }
          : {
              title: t("Archive {{count, number}} conversations?", { count }),
              text: t("Archived conversations leave the list, and can still be found and read."),
              label: t("Archive"),
              tone: "main",
            }
        : null;

  return (
    <div
      ref={bar}
      className="choosing-bar"
      role="toolbar"
      tabIndex={-1}
      aria-label={t("What to do with the selected conversations")}
    >
      <div className="choosing-row">
        <p role="status">{t("{{count, number}} selected", { count })}</p>
        <Tool
          icon="archive"
          name={archived ? t("Restore") : t("Archive")}
          off={off}
          onPress={() => setWay("archive")}
        />
        {!archived && (
          <Tool
            icon="folder"
            name={t("Move to folder…")}
            off={off}
            onPress={() => setWay("folder")}
          />
        )}
        <Tool icon="tag" name={t("Tag")} off={off} onPress={() => setWay("tag")} />
        <Tool icon="trash" name={t("Delete")} off={off} onPress={() => setWay("delete")} />
        <Tool icon="close" name={t("Stop selecting")} off={false} onPress={leave} />
      </div>
      {way === "tag" && (
        <TagForm
          count={count}
          text={tag}
          onText={setTag}
          onTag={(wanted) => run((those) => tagAll(those, wanted), "tag")}
          onCancel={() => {
            setTag("");
            setWay(null);
            bar.current?.focus();
          }}
        />
      )}
      {way !== "tag" && (
        <button
          type="button"
          className="quiet-button"
          aria-disabled={busy}
          onClick={() => busy || set(count === items.length ? [] : items.map(({ id }) => id))}
        >
          {count === items.length ? t("Select none") : t("Select all that are shown")}
        </button>
      )}
      {failed.length > 0 && (
        <Notice tone="bad" urgent>
          {t("It failed for {{count, number}} of them, which are still selected:", {
            count: failed.length,
          })}
          <ul>
            {failed.map((one) => (
              <li key={one.item.id}>{failureText(one)}</li>
            ))}
          </ul>
        </Notice>
      )}
      {way === "folder" && (
        <Suspense fallback={null}>
          <MoveDialog items={chosen} onClose={() => setWay(null)} onMoved={leave} />
        </Suspense>
      )}
      {asked && (
        <Confirm
          title={asked.title}
          actions={[
            {
              label: asked.label,
              tone: asked.tone,
              run: way === "delete" ? remove : () => run((those) => archiveAll(those, !archived)),
            },
          ]}
          cancel={t("Cancel")}
          onCancel={() => setWay(null)}
        >
          <p>{asked.text}</p>
        </Confirm>
      )}
    </div>
  );
}
