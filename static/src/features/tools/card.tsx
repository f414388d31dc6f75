import { createContext, lazy, type ReactNode, Suspense, useContext } from "react";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { orMissing } from "../../ui/part";
import type { CardNoteProps } from "../feature";
import { madeIn, placeOf, usesOf } from "./state";

const UseList = lazy(() => orMissing(import("./use-list")));

const Uses = createContext<ReturnType<typeof usesOf>>({});

/** Cards know no run: what is looked up comes to them from around it. */
export const Around = ({ run, children }: { run: RunState; children: ReactNode }) => (
  <Uses value={usesOf(run)}>{children}</Uses>
);

/** What a member looked up, as it happens. */
export function ToolUses({ said: { seat, result }, round }: CardNoteProps) {
  const live = useContext(Uses)[placeOf(seat.member, round)];
  const made = madeIn(result);
  const uses = made.length > 0 || result ? made : (live ?? []);
  return (
    <>
      {result?.tools_refused && (
        <p>
          <span className="badge">{t("takes no tools")}</span>
        </p>
      )}
      {uses.length > 0 && (
        <Suspense fallback={null}>
          <UseList uses={uses} />
        </Suspense>
      )}
    </>
  );
}
