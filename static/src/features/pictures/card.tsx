import { createContext, type ReactNode, useContext } from "react";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import type { CardNoteProps } from "../feature";
import { type Pictures, picturesOf } from "./state";

const Shown = createContext<Pictures | null>(null);

/** Cards know no run: what it shows comes to them from around it. */
export const Around = ({ run, children }: { run: RunState; children: ReactNode }) => (
  <Shown value={picturesOf(run)}>{children}</Shown>
);

/** That a member answers without having seen what the question shows. */
export function NotSeen({ said: { seat } }: CardNoteProps) {
  const pictures = useContext(Shown);
  if (!pictures || pictures.seen_by.includes(seat.model)) return null;
  return (
    <ul className="flags">
      <li dir="auto">{t("Did not see {{names}}", { names: pictures.names.join(", ") })}</li>
    </ul>
  );
}
