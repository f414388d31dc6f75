import { lazy, Suspense, useState } from "react";
import { Link, useLocation } from "wouter";
import { useProjects } from "../../api/projects";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { orMissing } from "../../ui/part";

const NewProject = lazy(() => orMissing(import("./new-project")));

/** So many stand there before somebody wants all. */
const atFirst = 6;

/** The reader's projects above their conversations, and the way to a new one. */
export function SidebarProjects({ onOpen }: { onOpen: () => void }) {
  const projects = useProjects().data;
  const [location] = useLocation();
  const [all, setAll] = useState(false);
  const [making, setMaking] = useState(false);
  // Drawn before they are known, they would push the conversations down when they come.
  if (!projects) return null;
  const shown = all ? projects : projects.slice(0, atFirst);
  return (
    <section aria-label={t("Projects")}>
      <div className="day projects-head">
        <h2>{t("Projects")}</h2>
        <button
          type="button"
          className="icon-button"
          aria-haspopup="dialog"
          aria-label={t("New project")}
          title={t("New project")}
          onClick={() => setMaking(true)}
        >
          <Icon name="plus" />
        </button>
      </div>
      <ul>
        {shown.map(({ id, name }) => {
          const isOpen = location === `/p/${id}`;
          return (
            <li key={id} className={isOpen ? "entry entry-open" : "entry"}>
              <Link
                href={`/p/${id}`}
                aria-current={isOpen ? "page" : undefined}
                title={name}
                onClick={onOpen}
              >
                <Icon name="folder" />
                <span dir="auto" className="entry-title">
                  {name}
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
      {projects.length > shown.length && (
        <button type="button" className="quiet-button" onClick={() => setAll(true)}>
          {t("All {{count, number}} projects", { count: projects.length })}
        </button>
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
