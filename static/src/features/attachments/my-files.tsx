import "../../styles/own-files.css";
import { useRef, useState } from "react";
import { type OwnFile, removeOwnFile, useOwnFiles } from "../../api/attachments";
import { asProblem } from "../../api/problem";
import { useProjects } from "../../api/projects";
import { useConfig } from "../../api/queries";
import { msg, t } from "../../i18n";
import { Confirm } from "../../ui/confirm";
import { passFocusOn } from "../../ui/focus";
import { count, dateFormat, when } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";
import { More } from "../admin/more";
import { newIn } from "../composer/draft";
import { contentOf, files } from "./chosen";
import { problemOf } from "./problems";
import { bytes } from "./size";

const day = dateFormat({ dateStyle: "medium" });

/** What it is, by what is in it. */
function kindOf({ file_type, width }: OwnFile): string {
  const kind = file_type.toUpperCase();
  if (width) return t("{{kind}} picture", { kind });
  return file_type === "text" ? t("Text") : kind;
}

function Facts({ file }: { file: OwnFile }) {
  const facts = [
    kindOf(file),
    bytes(file.size),
    t("added {{day}}", { day: day(when(file.created_at)) }),
    file.used ? t("used in a question") : t("not used in a question yet"),
    file.text_is_cut && t("only its beginning is kept as text"),
  ];
  return <span className="own-file-facts">{facts.filter(Boolean).join(" · ")}</span>;
}

/**
 * One file, to be saved, and to be deleted where no question came with it. The class
 * `own-file-next` is on what has the focus once the file next to it is gone.
 */
function Row({ file, onDelete }: { file: OwnFile; onDelete: (file: OwnFile) => void }) {
  const { id, filename: name } = file;
  const [asked, setAsked] = useState(false);
  const place = useRef<HTMLLIElement>(null);
  const failed = file.state === "failed";
  return (
    <li ref={place} className="own-file">
      <Icon name={failed ? "alert" : "file"} />
      <span className="own-file-about">
        <a
          className={file.used ? "own-file-name own-file-next" : "own-file-name"}
          href={contentOf(id)}
          download={name}
          title={t("Save {{name}}", { name })}
        >
          <bdi>{name}</bdi>
        </a>
        <Facts file={file} />
        {failed && <span className="own-file-problem">{problemOf(file)}</span>}
      </span>
      {!file.used && (
        <button
          type="button"
          className="quiet-button own-file-next"
          aria-label={t("Delete {{name}}", { name })}
          onClick={() => setAsked(true)}
        >
          {t("Delete")}
        </button>
      )}
      {asked && (
        <Confirm
          title={t("Delete this file?")}
          actions={[
            {
              label: t("Delete"),
              tone: "danger",
              run: () => {
                passFocusOn(place.current, ".own-file-next", "#own-files-title");
                onDelete(file);
              },
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(false)}
        >
          <p>
            {t(
              "“{{name}}” is removed from this server at once, and this cannot be undone. A question that you have not asked yet cannot use it any more.",
              { name },
            )}
          </p>
        </Confirm>
      )}
    </li>
  );
}

/** How much of the room is used. The server tells no sum, so that is known once all files are here. */
function Room({ list, total, room }: { list: readonly OwnFile[]; total: number; room: number }) {
  const used = bytes(list.reduce((sum, { size }) => sum + size, 0));
  const facts = { used, room: bytes(room) };
  return (
    <p>
      {list.length < total
        ? t("The files that are shown here take up {{used}} of your {{room}}.", facts)
        : t("Your files take up {{used}} of {{room}}.", facts)}
    </p>
  );
}

/** The files, without those that are being deleted: they come back where the server keeps them. */
function useList() {
  const query = useOwnFiles();
  const projects = useProjects().data ?? [];
  /** Where new questions are typed. */
  const places = [null, ...projects.map((project) => newIn(project.id))];
  const [going, setGoing] = useState<readonly string[]>([]);
  const pages = query.data?.pages ?? [];
  // A file that is uploaded between the reading of two pages pushes another one into both.
  const all = new Map(pages.flatMap(({ attachments }) => attachments).map((one) => [one.id, one]));
  const gone = going.filter((id) => all.delete(id)).length;
  const remove = async ({ id, filename: name }: OwnFile) => {
    setGoing((ids) => [...ids, id]);
    try {
      await removeOwnFile(id);
      for (const place of places) {
        for (const file of files.of(place)) if (file.id === id) files.remove(place, file.key);
      }
      toast(t("“{{name}}” was deleted.", { name }));
    } catch (error) {
      const { status, message } = asProblem(error);
      const why =
        status === 409
          ? t("A question has used it meanwhile, or there is a hold on your data.")
          : message;
      toast(t("Not deleted: {{message}}", { message: why }), { tone: "bad" });
    } finally {
      setGoing((ids) => ids.filter((other) => other !== id));
    }
  };
  return { query, shown: [...all.values()], total: (pages.at(-1)?.total ?? 0) - gone, remove };
}

/** Everything that the reader has uploaded for questions. */
export default function MyFiles() {
  const config = useConfig();
  const { query, shown, total, remove } = useList();
  const limits = config.data?.attachments;
  return (
    <section className="panel" id="own-files" aria-labelledby="own-files-title">
      <h2 id="own-files-title" tabIndex={-1}>
        {t("Your files")}
      </h2>
      <p className="panel-lead">
        {t(
          "What you have added to questions. A file stays as long as a conversation with a question that used it; one that no question has used is deleted a day after it was uploaded.",
        )}
      </p>
      {query.isPending && <p className="quiet">{t("Loading files…")}</p>}
      {query.isError && (
        <ReadFailed text={msg("The list could not be loaded: {{reason}}")} query={query} />
      )}
      {config.data && !limits && (
        <p className="quiet">{t("Files are switched off on this server.")}</p>
      )}
      {query.data && limits && shown.length === 0 && (
        <p className="quiet">{t("You have no files here. The clip under a question adds some.")}</p>
      )}
      {shown.length > 0 && (
        <>
          {limits && <Room list={shown} total={total} room={limits.max_bytes_per_user} />}
          <ul className="own-files" aria-label={t("Your files")}>
            {shown.map((file) => (
              <Row key={file.id} file={file} onDelete={remove} />
            ))}
          </ul>
          {(total > shown.length || (query.data?.pages.length ?? 0) > 1) && (
            <More
              list={query}
              shown={t("{{shown}} of {{all}}", { shown: count(shown.length), all: count(total) })}
              label={t("Show more")}
            />
          )}
        </>
      )}
    </section>
  );
}
