import { Problem } from "../../api/problem";
import { t } from "../../i18n";
import { listText } from "../../ui/format";
import type { Asked } from "./chosen";

const nameOf = (file: Asked[number]) =>
  typeof file === "string" ? file.slice(0, 12) : (file.filename ?? file.id);

/** A refusal of a question in the reader's words, where all that is wrong is that the server no longer has some of its files. */
export function aboutFiles(problem: Problem, asked: Asked): Problem {
  const names = problem.fields.flatMap(({ field }) => {
    const file = asked[Number(/^attachments\.(\d+)$/.exec(field)?.[1])];
    return file === undefined ? [] : [nameOf(file)];
  });
  if (names.length === 0 || names.length < problem.fields.length) return problem;
  const message = t(
    "The server no longer has {{files}}. Add again what the question needs, and remove the rest.",
    { files: listText(names, "conjunction") },
  );
  return new Problem(problem.kind, message, problem.status, problem.fields);
}
