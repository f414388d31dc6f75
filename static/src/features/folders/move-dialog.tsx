import { useId, useState } from "react";
import { makeFolder } from "../../api/folder-changes";
import { type Folder, useFolders } from "../../api/folders";
import { asProblem } from "../../api/problem";
import type { ConversationSummary } from "../../api/types";
import { msg, t } from "../../i18n";
import { FormDialog } from "../../ui/form-dialog";
import { Notice } from "../../ui/notice";
import { ReadFailed } from "../../ui/read-failed";
import { inWords } from "../../ui/wrong";
import { failureText, fileAll } from "../conversations/together";
import { messagesAt, TextField } from "../settings/fields";
import NameDialog from "./name-dialog";
import { nameLength, readName, takenName } from "./taken";

type Items = readonly ConversationSummary[];

/** What is chosen: a folder's id, no folder, a new one, or nothing yet. */
type To = string | "none" | "new" | null;

interface Props {
  items: Items;
  onClose: () => void;
  /** All of them are there. Those that are not stay to be moved. */
  onMoved: (to: Folder | null) => void;
}

/** The folder that they are all in, or `none`; null where they are in several. */
function commonOf(items: Items): To {
  const [first, ...others] = new Set(items.map(({ folder_id }) => folder_id ?? "none"));
  return others.length > 0 ? null : (first ?? null);
}

function MoveForm({ items, folders, onMoved }: Omit<Props, "onClose"> & { folders: Folder[] }) {
  const group = useId();
  const [left, setLeft] = useState(items);
  const before = commonOf(left);
  const [to, setTo] = useState<To>(folders.length > 0 ? before : "new");
  const [name, setName] = useState("");
  const [nameErrors, setNameErrors] = useState<readonly string[]>([]);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const off = busy || to === null || to === before || (to === "new" && name.trim() === "");
  const move = async () => {
    if (off) return;
    setBusy(true);
    setProblems([]);
    setNameErrors([]);
    try {
      const made = to === "new" ? await inWords(makeFolder(readName(name)), takenName()) : null;
      // What fails from here on is tried again with the folder that there is by then.
      if (made) setTo(made.id);
      const folder = made ?? folders.find(({ id }) => id === to) ?? null;
      const failed = await fileAll(left, folder);
      if (failed.length === 0) return onMoved(folder);
      setLeft(failed.map(({ item }) => item));
      setProblems(failed.map(failureText));
    } catch (error) {
      const { fields = [], message } = asProblem(error);
      const ofName = messagesAt(fields, "name");
      setNameErrors(ofName);
      if (ofName.length === 0) setProblems([t("Not created: {{reason}}", { reason: message })]);
    }
    setBusy(false);
  };
  const choices = [
    { id: "none", name: t("No folder") },
    ...folders,
    { id: "new", name: t("New folder") },
  ];
  return (
    <form
      className="short-form"
      aria-label={t("Move to folder")}
      onSubmit={(event) => {
        event.preventDefault();
        move();
      }}
    >
      {folders.length > 0 && (
        <fieldset className="choices">
          <legend className="visually-hidden">{t("Folder")}</legend>
          {choices.map((choice) => (
            <label key={choice.id}>
              <input
                type="radio"
                name={group}
                checked={choice.id === to}
                onChange={() => setTo(choice.id)}
              />
              <span dir="auto">{choice.name}</span>
            </label>
          ))}
        </fieldset>
      )}
      {to === "new" && (
        <TextField
          label={t("Name of the new folder")}
          value={name}
          errors={nameErrors}
          maxLength={nameLength}
          onChange={setName}
        />
      )}
      {problems.length > 0 && (
        <Notice tone="bad" urgent>
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Notice>
      )}
      <button type="submit" className="button button-main" aria-disabled={off}>
        {busy ? t("Moving…") : t("Move")}
      </button>
    </form>
  );
}

/**
 * Puts conversations of the reader's into a folder, also a new one, or takes them out of theirs. Where there are none, a folder
 * is made for them to go into later.
 */
export default function MoveDialog({ items, onClose, onMoved }: Props) {
  const list = useFolders(true);
  if (items.length === 0) return <NameDialog onClose={onClose} onMade={onMoved} />;
  return (
    <FormDialog title={t("Move to folder")} onClose={onClose}>
      {list.isPending && <p className="quiet">{t("Loading folders…")}</p>}
      {list.isError && !list.data && (
        <ReadFailed text={msg("Folders could not be loaded: {{reason}}")} query={list} />
      )}
      {list.data && <MoveForm items={items} folders={list.data} onMoved={onMoved} />}
    </FormDialog>
  );
}
