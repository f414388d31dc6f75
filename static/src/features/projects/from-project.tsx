import { useProjectFiles } from "../../api/project-files";
import { useConfig } from "../../api/queries";
import { t } from "../../i18n";
import { listText } from "../../ui/format";
import "../../styles/attachments.css";

/** In the composer: which files of the project the question will be read with. */
export default function FromProject({ id }: { id: string }) {
  const files = useProjectFiles(id).data ?? [];
  const areRead = (useConfig().data?.attachments?.max_per_project ?? 0) > 0;
  if (files.length === 0 || !areRead) return null;
  const said = t("Read from the project: {{files}}", {
    files: listText(files.map(({ filename }) => filename)),
  });
  return (
    <p dir="auto" className="composer-from-project" title={said}>
      {said}
    </p>
  );
}
