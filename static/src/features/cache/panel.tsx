import { Link } from "wouter";
import type { Schemas } from "../../api/types";
import { msg, t } from "../../i18n";
import type { PanelProps } from "../feature";
import type { CacheState } from "./state";
import { keptPath, whyNone } from "./words";

const whyNotKept: Record<Schemas["NotStored"], string> = {
  incomplete: msg(
    "This answer is not kept, because something of it is missing: a member failed, or another model stood in.",
  ),
  corrected: msg(
    "This answer is not kept, because something was added to its question while it was answered.",
  ),
  unavailable: msg("This answer could not be kept for later questions."),
};

/** Why no earlier answer was used, and whether this one may be for a later question. */
export default function CachePanel({ state }: PanelProps<Extract<CacheState, { status: "miss" }>>) {
  return (
    <div className="stage">
      <p>{whyNone(state.told)}</p>
      {state.kept === "kept" ? (
        <p className="quiet">
          {t("This answer is kept for later questions like it.")}{" "}
          <Link href={keptPath}>{t("Kept answers")}</Link>
        </p>
      ) : (
        state.kept && <p className="quiet">{t(whyNotKept[state.kept] ?? whyNotKept.unavailable)}</p>
      )}
    </div>
  );
}
