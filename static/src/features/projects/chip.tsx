import { Link } from "wouter";
import { useProjects } from "../../api/projects";
import { t } from "../../i18n";
import { Icon } from "../../ui/icon";

/** In the head of a conversation: the project that it is in, and so who reads along. */
export function ProjectChip({ id }: { id: string }) {
  const projects = useProjects().data;
  const name = projects?.find((project) => project.id === id)?.name;
  if (!projects) return null;
  if (name === undefined) {
    return (
      <span className="tag project-chip">
        <Icon name="team" />
        {t("A project that you are not in")}
      </span>
    );
  }
  return (
    <Link
      href={`/p/${id}`}
      className="tag project-chip"
      title={t("Everybody in this project can read the conversation.")}
    >
      <Icon name="team" />
      <span dir="auto">{name}</span>
    </Link>
  );
}
