/** What a run has found, under numbers: texts cite them, and a list says where they lead. */
import { lazy } from "react";
import { t } from "../../i18n";
import { isLive, type RunState } from "../../run/state";
import { orMissing } from "../../ui/part";
import type { Feature } from "../feature";
import { Around, listId } from "./around";
import { citedIn, isCited } from "./cited";
import { copied } from "./copied";
import { start } from "./start";
import { events, sourcesOf, stored } from "./state";

interface Shown {
  found: number;
  cited: number;
  invented: number;
  /** Whether anybody who could cite one has written to the end. */
  isWritten: boolean;
}

function of(run: RunState): Shown | null {
  const all = sourcesOf(run);
  const cited = citedIn(run);
  const invented = cited.invented.reduce((sum, [, count]) => sum + count, 0);
  if (all.length === 0 && invented === 0) return null;
  return {
    found: all.length,
    cited: all.filter(({ n }) => isCited(cited, n)).length,
    invented,
    isWritten: !isLive(run) || cited.byFinal.size + cited.byMembers.size > 0,
  };
}

export const feature = {
  ...start,
  events,
  stored,
  Around,
  copied,
  section: {
    of,
    id: listId,
    summary({ found, cited, invented, isWritten }: Shown) {
      const parts = [t("{{count, number}} found", { count: found })];
      if (isWritten) parts.push(t("{{count, number}} cited", { count: cited }));
      if (invented > 0) parts.push(t("{{count, number}} numbers invented", { count: invented }));
      return parts.join(" · ");
    },
    Panel: lazy(() => orMissing(import("./panel"))),
  },
} satisfies Feature;
