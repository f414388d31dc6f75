import { useId, useRef, useState } from "react";
import { Link } from "wouter";
import { eachOnce } from "../../api/pages";
import {
  type Listed,
  moveToProject,
  type Project,
  takeOut,
  useInProject,
} from "../../api/projects";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { useAttempt } from "../../ui/attempt";
import { complain } from "../../ui/complain";
import { Confirm } from "../../ui/confirm";
import { focusAfter } from "../../ui/focus";
import { count, dateFormat, when } from "../../ui/format";
import { ReadFailed } from "../../ui/read-failed";
import { toast } from "../../ui/toast";
import { More } from "../admin/more";
import { titleOf } from "../conversations/title";

const day = dateFormat({ dateStyle: "medium" });

function Row({ project, item }: { project: Project; item: Listed }) {
  const place = useRef<HTMLLIElement>(null);
  const { busy, attempt } = useAttempt();
  const [asked, setAsked] = useState(false);
  const title = titleOf(item);
  const author = item.author_name ?? item.author;
  const out = () =>
    attempt(async () => {
      const goOn = focusAfter(place.current, ".project-out", ".project-conversations-head");
      const done = t("“{{title}}” is in no project any more.", { title });
      if (item.is_mine) {
        await moveToProject(item.id, null);
        const undo = () =>
          moveToProject(item.id, project.id).catch(complain(msg("Not moved: {{message}}")));
        toast(done, { action: { label: t("Undo"), run: undo } });
      } else {
        await takeOut(project.id, item.id);
        toast(done);
      }
      goOn();
    }, msg("Not taken out: {{message}}"));
  return (
    <li ref={place} className="project-conversation">
      <Link
        href={item.is_mine ? `/c/${item.id}` : `/p/${project.id}/c/${item.id}`}
        dir="auto"
        className="project-conversation-title"
      >
        {title}
      </Link>
      <span className="quiet project-conversation-facts">
        {item.is_mine ? (
          t("by you")
        ) : (
          <T text="by {{name}}" parts={{ name: <bdi>{author}</bdi> }} />
        )}
        {" · "}
        <time dateTime={`${item.updated_at}Z`}>{day(when(item.updated_at))}</time>
        {" · "}
        {t("{{count, number}} messages", { count: item.message_count })}
      </span>
      {project.role === "owner" && (
        <button
          type="button"
          className="quiet-button project-out"
          aria-label={t("Take out: {{title}}", { title })}
          aria-disabled={busy}
          onClick={() => (item.is_mine ? out() : setAsked(true))}
        >
          {t("Take out")}
        </button>
      )}
      {asked && (
        <Confirm
          title={t("Take this conversation out of the project?")}
          actions={[
            {
              label: t("Take out"),
              tone: "danger",
              run: () => {
                setAsked(false);
                out();
              },
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(false)}
        >
          <p>
            <T
              text="“{{title}}” stays with {{name}}, who alone can put it back. Nobody else in the project can read it any more."
              parts={{ title: <bdi>{title}</bdi>, name: <bdi>{author}</bdi> }}
            />
          </p>
        </Confirm>
      )}
    </li>
  );
}

/** The conversations in the project, whoever has written them. */
export function InProject({ project }: { project: Project }) {
  const heading = useId();
  const list = useInProject(project.id);
  const items = eachOnce(list.data?.pages, (page) => page.conversations);
  return (
    <section className="panel" aria-labelledby={heading}>
      <h2 id={heading} className="project-conversations-head" tabIndex={-1}>
        {t("Conversations")}
      </h2>
      {list.isPending && <p className="quiet">{t("Loading conversations…")}</p>}
      {list.isError && !list.data && (
        <ReadFailed text={msg("The list could not be loaded: {{reason}}")} query={list} />
      )}
      {list.data && items.length === 0 && (
        <p className="quiet">
          {project.role === "viewer"
            ? t("Nothing is in this project yet.")
            : t(
                "Nothing is in this project yet. Ask above, or move a conversation here by its menu.",
              )}
        </p>
      )}
      {items.length > 0 && (
        <>
          <ul className="project-conversations">
            {items.map((item) => (
              <Row key={item.id} project={project} item={item} />
            ))}
          </ul>
          {list.hasNextPage && (
            <More
              list={list}
              shown={t("{{shown}} of {{all}}", {
                shown: count(items.length),
                all: count(list.data?.pages[0]?.total ?? items.length),
              })}
              label={t("Older conversations")}
            />
          )}
        </>
      )}
    </section>
  );
}
