import { lazy, Suspense, useContext, useEffect, useState } from "react";
import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { orNothing } from "../../ui/part";
import { ReadOnly } from "../council/read-only";
import { contentOf, knownPictures } from "./chosen";
import { bytes } from "./size";
import "../../styles/attachments.css";

const PictureView = lazy(() => orNothing(import("./picture-view")));

export type ReadFile = Schemas["ReadProjectFile"];
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

/** The largest size of a picture next to a question, in pixels. */
const most = { width: 360, height: 180 };

/** Its place before it is there, so that nothing moves. */
function shownSize({ width, height }: AttachedFile) {
  if (!width || !height) return {};
  const scale = Math.min(1, most.width / width, most.height / height);
  return { width: Math.round(width * scale), height: Math.round(height * scale) };
}

/** A file of the reader's, to be saved. */
function ToSave({ file }: { file: AttachedFile }) {
  return (
    <a className="file" href={contentOf(file.id)} download={file.filename}>
      <Named file={file} />
    </a>
  );
}

/** A picture as it was asked about; the whole of it at a press. One that cannot be shown is a file like any other. */
function Picture({ file }: { file: AttachedFile }) {
  const [open, setOpen] = useState(false);
  const [broken, setBroken] = useState(false);
  const { id, filename } = file;
  if (broken) return <ToSave file={file} />;
  return (
    <>
      <button
        type="button"
        className="picture"
        aria-haspopup="dialog"
        title={filename}
        onClick={() => setOpen(true)}
      >
        <img
          src={contentOf(id)}
          alt={t("Picture: {{name}}", { name: filename })}
          {...shownSize(file)}
          onError={() => setBroken(true)}
        />
      </button>
      {open && (
        <Suspense fallback={null}>
          <PictureView file={file} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/**
 * The text for a file of the project: that it is one, and how much of it was read, where that is
 * not all.
 */
function fromThere({ characters, characters_read }: ReadFile): string {
  if (characters_read >= characters) return t("From the project");
  return t("From the project; the council read the first {{read}} of {{all}} characters", {
    read: count(characters_read),
    all: count(characters),
  });
}

/** The files of its project that a question was read with, by their names: the project has them, or had them. */
function OfProject({ files }: { files: readonly ReadFile[] }) {
  return (
    <ul className="files" aria-label={t("Files of the project that were read with it")}>
      {files.map((file, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what was read stays as it is, and two may be called the same
        <li key={at} className="file file-of-project">
          <Icon name="team" />
          <span className="file-about">
            <span className="file-name" dir="auto" title={file.filename}>
              {file.filename}
            </span>
            <span className="file-more">{fromThere(file)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/**
 * The files that a question came with, to be saved, and its pictures to be looked at; where they are not the reader's, by
 * their names alone.
 */
export default function QuestionFiles({
  files,
  ofProject,
}: {
  files: readonly AttachedFile[];
  ofProject: readonly ReadFile[];
}) {
  const readOnly = useContext(ReadOnly);
  // When it is asked again, or in another way, only its name goes along.
  useEffect(() => files.forEach(knownPictures.note), [files]);
  const own = files.length > 0 && (
    <ul className="files" aria-label={t("Files of this question")}>
      {files.map((file) => (
        <li key={file.id}>
          {readOnly ? (
            <span className="file">
              <Named file={file} />
            </span>
          ) : file.width || knownPictures.has(file.id) ? (
            <Picture file={file} />
          ) : (
            <ToSave file={file} />
          )}
        </li>
      ))}
    </ul>
  );
  return (
    <>
      {own}
      {ofProject.length > 0 && <OfProject files={ofProject} />}
    </>
  );
}
