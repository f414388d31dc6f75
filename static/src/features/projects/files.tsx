import { useId, useRef, useState } from "react";
import { asProblem } from "../../api/problem";
import {
  addProjectFile,
  contentInProject,
  type ProjectFile,
  removeProjectFile,
  useProjectFiles,
} from "../../api/project-files";
import type { Project } from "../../api/projects";
import { useConfig } from "../../api/queries";
import { msg, t } from "../../i18n";
import { useAttempt } from "../../ui/attempt";
import { Confirm } from "../../ui/confirm";
import { passFocusOn } from "../../ui/focus";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";
import { formWith } from "../attachments/form";
import { notReadable, refusalOf, sameFile } from "../attachments/problems";
import { isPicture } from "../attachments/shrink";
import { bytes } from "../attachments/size";
import type { Limits } from "../attachments/upload";

function Row({ project, file }: { project: Project; file: ProjectFile }) {
  const { id, filename: name } = file;
  const [asked, setAsked] = useState(false);
  const { busy, attempt } = useAttempt();
  const place = useRef<HTMLLIElement>(null);
  const remove = async () => {
    setAsked(false);
    await attempt(async () => {
      await removeProjectFile(project.id, id);
      passFocusOn(place.current, ".project-file-remove", ".project-file-add input");
      toast(t("{{name}} was removed from the project.", { name }));
    }, msg("Not removed: {{message}}"));
  };
  return (
    <li ref={place} className="project-file">
      <a className="project-file-name" href={contentInProject(project.id, id)} download={name}>
        <Icon name="file" />
        <bdi>{name}</bdi>
      </a>
      <span className="quiet project-file-facts">
        {bytes(file.size)}
        {" · "}
        {t("{{count, number}} characters", { count: file.characters })}
        {file.text_is_cut && ` · ${t("only its beginning is kept as text")}`}
      </span>
      {project.role === "owner" && (
        <button
          type="button"
          className="quiet-button project-file-remove"
          aria-label={t("Remove {{name}}", { name })}
          aria-disabled={busy}
          onClick={() => setAsked(true)}
        >
          {t("Remove")}
        </button>
      )}
      {asked && (
        <Confirm
          title={t("Remove this file from the project?")}
          actions={[{ label: t("Remove"), tone: "danger", run: remove }]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(false)}
        >
          <p>
            {t(
              "“{{name}}” is deleted here for everybody, and later questions are asked without it. Answers that are there already stay as they are.",
              { name },
            )}
          </p>
        </Confirm>
      )}
    </li>
  );
}

interface Refused {
  name: string;
  why: string;
}

const aPicture = () => t("It is a picture. Add it to the questions that are about it.");

/** What can be said of a file before it is sent. */
function refusal(file: File, limits: Limits): string | null {
  if (file.size === 0) return t("It is empty.");
  if (isPicture(file)) return aPicture();
  if (file.size <= limits.max_bytes) return null;
  return t("It is larger than {{size}}.", { size: bytes(limits.max_bytes) });
}

/** Takes files to the project, one after the other, and keeps what was wrong with each. */
function useAdding(project: Project, limits: Limits) {
  const [underWay, setUnderWay] = useState<string | null>(null);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const line = useRef(Promise.resolve());
  const addOne = async (file: File) => {
    const { name } = file;
    setUnderWay(name);
    let why = refusal(file, limits) ?? (await notReadable(file));
    let known: string | null = null;
    try {
      if (why === null) known = await addProjectFile(project.id, name, (as) => formWith(file, as));
    } catch (error) {
      why =
        asProblem(error).status === 409
          ? t("This project has as many files as are allowed. Remove one that is not needed.")
          : await refusalOf(error, file, {
              most: limits.max_bytes,
              noPictures: aPicture(),
              noRoom: t(
                "The project’s files take up all the room that there is for them. Remove one that is not needed.",
              ),
            });
    }
    if (known !== null) toast(sameFile(name, known));
    else if (why === null) toast(t("{{name}} is in the project now.", { name }));
    else setRefused((before) => [...before, { name, why }]);
    setUnderWay(null);
  };
  const add = (chosen: readonly File[]) => {
    setRefused([]);
    for (const file of chosen) line.current = line.current.then(() => addOne(file));
  };
  return { add, underWay, refused };
}

/** Chooses files for the project; they can be dropped here as well. */
function Add({ project, limits }: { project: Project; limits: Limits }) {
  const id = useId();
  const [over, setOver] = useState(false);
  const { add, underWay, refused } = useAdding(project, limits);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is in it does the same
    <div
      className={over ? "project-file-add project-file-over" : "project-file-add"}
      data-takes-files=""
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        add([...event.dataTransfer.files]);
      }}
    >
      <label className="button project-file-choose">
        <input
          type="file"
          multiple
          className="visually-hidden"
          aria-label={t("Add files to the project")}
          aria-describedby={id}
          onChange={(event) => {
            const chosen = [...(event.target.files ?? [])];
            // The same file may be chosen again once it is corrected.
            event.target.value = "";
            add(chosen);
          }}
        />
        <Icon name="clip" />
        <span aria-hidden="true">{t("Add files")}</span>
      </label>
      <span id={id} className="field-hint">
        {t("Text, code, PDF or DOCX; up to {{size}} each, {{most}} at most", {
          size: bytes(limits.max_bytes),
          most: count(limits.max_per_project),
        })}
      </span>
      <span role="status" className="project-file-state">
        {underWay !== null && t("Uploading {{name}}…", { name: underWay })}
      </span>
      {refused.length > 0 && (
        <Notice tone="bad" urgent>
          <ul className="project-files-refused">
            {refused.map(({ name, why }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two files may be called the same, and none is moved
              <li key={at}>{t("{{name}} was not added. {{reason}}", { name, reason: why })}</li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}

/** What every question in the project is read with; its owners change that. */
export function Files({ project }: { project: Project }) {
  const title = useId();
  const limits = useConfig().data?.attachments;
  const list = useProjectFiles(project.id);
  const files = list.data ?? [];
  const areTaken = limits !== undefined && limits !== null && limits.max_per_project > 0;
  // Switched off, and there are none: nobody need know.
  if (!areTaken && files.length === 0) return null;
  return (
    <section className="panel" aria-labelledby={title}>
      <h2 id={title}>{t("Files")}</h2>
      <p className="quiet">
        {areTaken
          ? t(
              "Models read these files with every question in the project: up to {{most}} characters, together with the question’s own files.",
              { most: count(limits.max_characters_read) },
            )
          : t(
              "Files of projects are switched off on this server: no question is asked with these.",
            )}
      </p>
      {list.isError && !list.data && (
        <ReadFailed text={msg("The list could not be loaded: {{reason}}")} query={list} />
      )}
      {list.data && files.length === 0 && <p className="quiet">{t("It has no files.")}</p>}
      {files.length > 0 && (
        <ul className="project-files" aria-label={t("Files of the project")}>
          {files.map((file) => (
            <Row key={file.id} project={project} file={file} />
          ))}
        </ul>
      )}
      {areTaken && project.role === "owner" && <Add project={project} limits={limits} />}
    </section>
  );
}
