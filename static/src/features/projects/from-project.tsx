import { useProjectFiles } from "../../api/projects";
import { t } from "../../i18n";
import { listText } from "../../ui/format";

/** In the composer: which files of the project the question will be read with. */
export default function FromProject({ id }: { id: string }) {
  const files = useProjectFiles(id).data ?? [];
  if (files.length === 0) return null;
  const said = t("Read from the project: {{files}}", {
    files: listText(files.map(({ filename }) => filename)),
  });
  return (
    <p dir="auto" className="composer-from-project" title={said}>
      {said}
    </p>
  );
}
