import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import type { RunState } from "../../run/state";
import { Details } from "../../ui/disclosure";
import { rubricOf } from "./state";
import { headingOf } from "./words";

/** What the ballots below it go by. */
export function RubricNote({ run }: { run: RunState }) {
  const rubric = rubricOf(run);
  if (!rubric) return null;
  return (
    <div className="run-note">
      <p>{t("The reviewers judged by criteria that came with the question.")}</p>
      <Details title={<bdi>{headingOf(rubric)}</bdi>}>
        {() => <Markdown text={rubric.text} />}
      </Details>
    </div>
  );
}
