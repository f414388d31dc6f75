import { useState } from "react";
import { makeFolder, renameFolder } from "../../api/folder-changes";
import type { Folder } from "../../api/folders";
import { t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { FormDialog } from "../../ui/form-dialog";
import { Notice } from "../../ui/notice";
import { inWords } from "../../ui/wrong";
import { messagesAt, TextField } from "../settings/fields";
import { openFolder } from "./open";
import { nameLength, readName, takenName } from "./taken";

interface Props {
  /** The one that is to be called something else; without one, a new folder is made. */
  folder?: Folder | undefined;
  onClose: () => void;
  onMade?: (folder: Folder) => void;
}

/** Asks what a folder is to be called. A new one is open. */
export default function NameDialog({ folder, onClose, onMade }: Props) {
  const [name, setName] = useState(folder?.name ?? "");
  const { busy, problem, attempt, form } = useAttempt();
  const errors = messagesAt(problem?.fields ?? [], "name");
  const off = busy || name.trim() === "" || name === folder?.name;
  const title = folder ? t("Rename folder") : t("New folder");
  const save = async () => {
    if (off) return;
    await attempt(async () => {
      const called = readName(name);
      if (folder) await inWords(renameFolder(folder.id, called), takenName());
      else {
        const made = await inWords(makeFolder(called), takenName());
        openFolder(made.id, true);
        onMade?.(made);
      }
      onClose();
    });
  };
  return (
    <FormDialog title={title} onClose={onClose}>
      {!folder && <p>{t("Folders organise your list. Nobody else sees them.")}</p>}
      <form
        ref={form}
        className="short-form"
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <TextField
          label={t("Name")}
          value={name}
          errors={errors}
          maxLength={nameLength}
          onChange={setName}
        />
        {problem && errors.length === 0 && (
          <Notice tone="bad" urgent>
            {folder
              ? t("Not renamed: {{message}}", { message: problem.message })
              : t("Not created: {{reason}}", { reason: problem.message })}
          </Notice>
        )}
        <button type="submit" className="button button-main" aria-disabled={off}>
          {folder ? t("Rename") : t("Create folder")}
        </button>
      </form>
    </FormDialog>
  );
}
