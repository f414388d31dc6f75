import { useContext } from "react";
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { ReadOnly } from "../council/read-only";
import { bytes } from "./size";
import "../../styles/attachments.css";

export type AttachedFile = Pick<Schemas["AttachedFile"], "id" | "filename"> &
  Partial<Schemas["AttachedFile"]>;

function more({ size, characters, characters_read }: AttachedFile): string | null {
  if (size === undefined) return null;
  if (characters === undefined || characters_read === undefined || characters_read >= characters)
    return bytes(size);
  return t("{{size}}; the council read the first {{read}} of {{all}} characters", {
    size: bytes(size),
    read: count(characters_read),
    all: count(characters),
  });
}

function Named({ file }: { file: AttachedFile }) {
  return (
    <>
      <Icon name="file" />
      <span className="file-about">
        <span className="file-name" dir="auto">
          {file.filename}
        </span>
        {more(file) && <span className="file-more">{more(file)}</span>}
      </span>
    </>
  );
}

/** The files that a question came with, to be saved; where they are not the reader's, by their names alone. */
export default function QuestionFiles({ files }: { files: readonly AttachedFile[] }) {
  const readOnly = useContext(ReadOnly);
  return (
    <ul className="files" aria-label={t("Files of this question")}>
      {files.map((file) => (
        <li key={file.id}>
          {readOnly ? (
            <span className="file">
              <Named file={file} />
            </span>
          ) : (
            <a
              className="file"
              href={`/api/attachments/${file.id}/content`}
              download={file.filename}
            >
              <Named file={file} />
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}
