import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { count } from "../../ui/format";

interface Result {
  files_read?: Schemas["FilesRead"] | null;
}

/** What a card says of a member whose model has no room for all of the files; nothing of others. */
export const filesRead = ({ files_read: files }: Result) =>
  files &&
  t("Read the first {{read}} of {{all}} characters of the files", {
    read: count(files.characters_read),
    all: count(files.characters),
  });
