import { useProjects } from "../../api/projects";

/** What a project is called; undefined where the reader is not in it, and until that has been read. */
export const useProjectName = (id: string) =>
  useProjects().data?.find((project) => project.id === id)?.name;
