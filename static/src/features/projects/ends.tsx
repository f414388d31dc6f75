import { useState } from "react";
import { useLocation } from "wouter";
import { leaveProject, type Project, removeProject } from "../../api/projects";
import { msg, t } from "../../i18n";
import { complain } from "../../ui/complain";
import { Confirm } from "../../ui/confirm";
import { toast } from "../../ui/toast";
import { files } from "../attachments/chosen";
import { drafts, newIn } from "../composer/draft";

interface Props {
  project: Project;
  /** Told when it begins, and when it came to nothing. */
  onEnding: (ending: boolean) => void;
}

/** The ways out: leaving it, and its end. */
export function Ends({ project, onEnding }: Props) {
  const [, go] = useLocation();
  const [asked, setAsked] = useState<"leave" | "delete" | null>(null);
  const { id, name } = project;
  const byName = project.members.some(({ is_me }) => is_me);
  const act = async (what: () => Promise<void>, done: string, failed: string) => {
    setAsked(null);
    onEnding(true);
    try {
      await what();
      // What was typed here for a new conversation was for those who are in the project.
      const place = newIn(id);
      drafts.clear(place);
      files.clear(place);
      // A reader who has gone to another page by then stays there.
      if (location.pathname === `/p/${id}`) go("/");
      toast(t(done, { name }));
    } catch (error) {
      onEnding(false);
      complain(failed)(error);
    }
  };
  return (
    <div className="project-ends">
      {byName ? (
        <button type="button" className="button" onClick={() => setAsked("leave")}>
          {t("Leave the project")}
        </button>
      ) : (
        <p className="quiet">
          {t(
            "You are in this project through a group: whoever leaves the group leaves the project.",
          )}
        </p>
      )}
      {project.role === "owner" && (
        <button type="button" className="button button-danger" onClick={() => setAsked("delete")}>
          {t("Delete the project")}
        </button>
      )}
      {asked === "leave" && (
        <Confirm
          title={t("Leave this project?")}
          actions={[
            {
              label: t("Leave"),
              tone: "danger",
              run: () =>
                act(
                  () => leaveProject(id),
                  msg("You have left {{name}}."),
                  msg("Not left: {{message}}"),
                ),
            },
          ]}
          cancel={t("Stay")}
          onCancel={() => setAsked(null)}
        >
          <p>
            {t(
              "You will not see what is in it any more. Conversations of yours stay in it, where the others read them, until you take them out.",
            )}
          </p>
        </Confirm>
      )}
      {asked === "delete" && (
        <Confirm
          title={t("Delete this project?")}
          actions={[
            {
              label: t("Delete the project"),
              tone: "danger",
              run: () =>
                act(
                  () => removeProject(id),
                  msg("The project {{name}} was deleted."),
                  msg("Not deleted: {{message}}"),
                ),
            },
          ]}
          cancel={t("Keep it")}
          onCancel={() => setAsked(null)}
        >
          <p>
            {t(
              "“{{name}}” is deleted with its instructions, files and members, and this cannot be undone. The conversations stay with their authors, and nobody else reads them any more.",
              { name },
            )}
          </p>
        </Confirm>
      )}
    </div>
  );
}
