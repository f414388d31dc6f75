import { lazy, Suspense, useState } from "react";
import type { Config } from "../../api/types";
import { t } from "../../i18n";
import { listText, shortName } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { orMissing } from "../../ui/part";
import type { Draft } from "../composer/draft";
import { nameOf, nextCouncil } from "./next-council";

export const CouncilDialog = lazy(() => orMissing(import("./dialog")));

interface Props {
  /** Where what is typed is kept. */
  place: string | null;
  project: string | null;
  conversationId: string | null;
  draft: Draft;
  config: Config;
}

/** Says how many answer, and opens the choice of who does. */
export function CouncilChip({ place, project, conversationId, draft, config }: Props) {
  const [open, setOpen] = useState(false);
  const { members, chairman, isOther } = nextCouncil(draft, config);
  return (
    <>
      <button
        type="button"
        className={isOther ? "chip chip-chosen format-chip" : "chip format-chip"}
        aria-haspopup="dialog"
        aria-label={t("{{count, number}} members: {{members}}; chairman: {{chairman}}", {
          count: members.length,
          members: listText(members.map((member) => shortName(nameOf(member)))),
          chairman: shortName(chairman.name),
        })}
        onClick={() => setOpen(true)}
      >
        {t("{{count, number}} members", { count: members.length })}
        <Icon name="chevron" />
      </button>
      {open && (
        <Suspense fallback={null}>
          <CouncilDialog
            place={place}
            project={project}
            conversationId={conversationId}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
