import { removeFolder } from "../../api/folder-changes";
import type { Folder } from "../../api/folders";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { Confirm } from "../../ui/confirm";
import { openFolder } from "./open";

interface Props {
  folder: Folder;
  onClose: () => void;
  /** It is about to go: the focus goes to what stays. */
  onGone: () => void;
}

/** Asks before a folder is deleted. */
export default function DeleteDialog({ folder: { id, name }, onClose, onGone }: Props) {
  const remove = async () => {
    onClose();
    onGone();
    try {
      await removeFolder(id);
      openFolder(id, false);
    } catch (error) {
      complain(msg("Not deleted: {{message}}"))(error);
    }
  };
  return (
    <Confirm
      title={t("Delete the folder “{{name}}”?", { name })}
      actions={[{ label: t("Delete folder"), tone: "danger", run: remove }]}
      cancel={t("Cancel")}
      onCancel={onClose}
    >
      <p>{t("The conversations in it stay, in no folder.")}</p>
    </Confirm>
  );
}
