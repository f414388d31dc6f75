import { lazy, Suspense, useState } from "react";
import { Link, useLocation } from "wouter";
import { type ProjectSummary, useProjects } from "../../api/projects";
import type { ConversationSummary } from "../../api/types";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { ListHead } from "../../ui/list-head";
import { orMissing } from "../../ui/part";
import { useDrop } from "../folders/drag";

const NewProject = lazy(() => orMissing(import("./new-project")));
const MoveDialog = lazy(() => orMissing(import("./move-dialog")));

/** How many are shown before all are wanted. */
const atFirst = 6;

function Row(props: {
  project: ProjectSummary;
  isOpen: boolean;
  onOpen: () => void;
  onDrop: (item: ConversationSummary) => void;
}) {
  const { project, isOpen, onOpen, onDrop } = props;
  const { id, name, role } = project;
  const { isOver, place } = useDrop((item) => role !== "viewer" && item.project_id !== id, onDrop);
  const classes = ["entry", isOpen && "entry-open", isOver && "drop-here"];
  return (
    <li className={classes.filter(Boolean).join(" ")} {...place}>
      <Link
        href={`/p/${id}`}
        aria-current={isOpen ? "page" : undefined}
        title={name}
        onClick={onOpen}
      >
        <Icon name="team" />
        <span dir="auto" className="entry-title">
          {name}
        </span>
      </Link>
    </li>
  );
}

/** The reader's projects above their conversations, and the way to a new one. */
export function SidebarProjects({ onOpen }: { onOpen: () => void }) {
  const projects = useProjects().data;
  const [location] = useLocation();
  const [all, setAll] = useState(false);
  const [making, setMaking] = useState(false);
  const [dropped, setDropped] = useState<{ item: ConversationSummary; to: string } | null>(null);
  // Drawn before they are known, they would push the conversations down when they come.
  if (!projects) return null;
  const shown = all ? projects : projects.slice(0, atFirst);
  return (
    <section aria-label={t("Projects")}>
      <ListHead name={t("Projects")} add={t("New project")} onAdd={() => setMaking(true)} />
      <ul>
        {shown.map((project) => (
          <Row
            key={project.id}
            project={project}
            isOpen={location === `/p/${project.id}`}
            onOpen={onOpen}
            onDrop={(item) => setDropped({ item, to: project.id })}
          />
        ))}
      </ul>
      {projects.length > shown.length && (
        <button type="button" className="quiet-button" onClick={() => setAll(true)}>
          {t("All {{count, number}} projects", { count: projects.length })}
        </button>
      )}
      {dropped && (
        // Others can read it there, so a slip of the hand is asked about first.
        <Suspense fallback={null}>
          <MoveDialog {...dropped} onClose={() => setDropped(null)} />
        </Suspense>
      )}
      {making && (
        <Suspense fallback={null}>
          <NewProject
            onClose={() => setMaking(false)}
            onMade={() => {
              setMaking(false);
              onOpen();
            }}
          />
        </Suspense>
      )}
    </section>
  );
}
