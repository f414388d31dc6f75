import "../styles/settings.css";
import "../styles/projects.css";
import { useEffect, useId, useState } from "react";
import { flushSync } from "react-dom";
import { Link, useLocation } from "wouter";
import { asProblem } from "../api/problem";
import { type Project, useProject } from "../api/projects";
import type { Ask } from "../api/types";
import { begin } from "../features/asking/begin";
import { newDraft, setRefusal, useRefusals } from "../features/asking/refusals";
import { Composer } from "../features/composer/composer";
import { newIn } from "../features/composer/draft";
import { focusComposer } from "../features/composer/focus";
import { InProject } from "../features/projects/conversations";
import { Ends } from "../features/projects/ends";
import { Files } from "../features/projects/files";
import { Members } from "../features/projects/members";
import { yourRole } from "../features/projects/roles";
import { councilOf, hasOwnCouncil, SettingsForm } from "../features/projects/settings-form";
import { msg, t } from "../i18n";
import { T } from "../i18n/t";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";

/** The first question of a new conversation in the project. */
function AskHere({ project }: { project: Project }) {
  const [, go] = useLocation();
  const place = newIn(project.id) ?? newDraft;
  const refusal = useRefusals((state) => state.refusals[place] ?? null);
  useEffect(() => () => setRefusal(place, null), [place]);
  const ask = async (body: Ask) => {
    const id = await begin(body);
    if (id === null) return;
    flushSync(() => go(`/c/${id}`));
    focusComposer();
  };
  return (
    <section className="project-ask" aria-label={t("New conversation in this project")}>
      <Composer
        conversationId={null}
        project={project.id}
        running={false}
        stopping={false}
        refusal={refusal}
        onAsk={ask}
        onStop={() => undefined}
      />
    </section>
  );
}

/** Its instructions for the models, for members who cannot change them. */
export function Says({ project, ending }: { project: Project; ending: boolean }) {
  const title = useId();
  // What an owner has typed is not lost where they own it no longer: a save says why it is refused.
  const [edited, setEdited] = useState(false);
  return (
    <section className="panel" aria-labelledby={title}>
      <h2 id={title}>{t("Project settings")}</h2>
      {project.role === "owner" || edited ? (
        <SettingsForm key={project.id} project={project} ending={ending} onEdits={setEdited} />
      ) : (
        <>
          <h3>{t("Instructions")}</h3>
          {project.instructions.trim() === "" ? (
            <p className="quiet">{t("It has no instructions.")}</p>
          ) : (
            <p dir="auto" className="project-instructions">
              {project.instructions}
            </p>
          )}
          <h3>{t("Council")}</h3>
          <p className="quiet">
            {hasOwnCouncil(project) ? councilOf(project) : t("Everybody’s own council")}
          </p>
        </>
      )}
    </section>
  );
}

function Shown({ project }: { project: Project }) {
  useTitle(project.name);
  const [ending, setEnding] = useState(false);
  const days = project.retention_days ?? null;
  return (
    <div className="settings project">
      <header className="project-head">
        <h1 dir="auto">{project.name}</h1>
        <p className="quiet">
          {t(yourRole[project.role])}{" "}
          {t(
            "Everybody in the project can read its conversations; only the author of one can continue it.",
          )}
        </p>
        {days !== null && (
          <p className="quiet">
            {days > 0
              ? t(
                  "Conversations in this project in which nothing happens for {{count, number}} days are deleted for good; a week before, they say so.",
                  { count: days },
                )
              : t("Conversations in this project are kept until their authors delete them.")}
          </p>
        )}
      </header>
      {project.role !== "viewer" && <AskHere key={project.id} project={project} />}
      <InProject project={project} />
      <Says project={project} ending={ending} />
      <Files project={project} />
      <Members project={project} />
      <Ends project={project} onEnding={setEnding} />
    </div>
  );
}

function Gone() {
  const title = t("This project is not here");
  useTitle(title);
  return (
    <div className="page-notice">
      <h1>{title}</h1>
      <p>
        <T
          text="It was deleted, or you are not in it. <link>Start a new conversation</link>."
          parts={{ link: (inner) => <Link href="/">{inner}</Link> }}
        />
      </p>
    </div>
  );
}

/** A place for the conversations of a team. */
export default function ProjectPage({ id }: { id: string }) {
  const project = useProject(id);
  if (asProblem(project.error).status === 404) return <Gone />;
  if (project.data) return <Shown project={project.data} />;
  if (project.isPending) return <p className="page-wait">{t("Loading…")}</p>;
  return (
    <div className="page-notice">
      <h1>{t("The project could not be loaded")}</h1>
      <ReadFailed text={msg("It could not be loaded: {{reason}}")} query={project} />
    </div>
  );
}
