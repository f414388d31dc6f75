import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { CopyButton } from "../../ui/copy";
import { useProjectName } from "./project-name";

/** Where everybody in a project reads a conversation as it goes on: those people need no other link. */
export function ProjectLink({ project, conversation }: { project: string; conversation: string }) {
  const name = useProjectName(project);
  // Whoever has left it cannot send others there.
  if (name === undefined) return null;
  return (
    <div className="share-project">
      <p>
        <T
          text="Everybody in the project {{project}} can read it anyway, including what you ask later."
          parts={{ project: <bdi>{name}</bdi> }}
        />
      </p>
      <CopyButton
        label={t("Copy link for the project")}
        text={() => new URL(`/p/${project}/c/${conversation}`, location.origin).href}
      />
    </div>
  );
}
