import { createContext, type ReactNode, useContext } from "react";
import { t } from "../../i18n";
import type { RunState } from "../../run/state";
import { shortName } from "../../ui/format";
import type { CardNoteProps, ReviewNoteProps } from "../feature";
import { type Pictures, picturesOf } from "./state";

const Shown = createContext<Pictures | null>(null);

/** Cards know no run: what it shows comes to them from around it. */
export const Around = ({ run, children }: { run: RunState; children: ReactNode }) => (
  <Shown value={picturesOf(run)}>{children}</Shown>
);

const Flag = ({ children }: { children: ReactNode }) => (
  <ul className="flags">
    <li dir="auto">{children}</li>
  </ul>
);

const unseenBy = (pictures: Pictures | null, model: string) =>
  pictures === null || pictures.seen_by.includes(model) ? null : pictures.names.join(", ");

/** That a reviewer has read the answers without having seen what the question shows. */
export function NotSeen({ seat }: ReviewNoteProps) {
  const names = unseenBy(useContext(Shown), seat.model);
  return names && <Flag>{t("Did not see {{names}}", { names })}</Flag>;
}

/** The note for a member that answers. */
export const NotSeenByMember = ({ said: { seat } }: CardNoteProps) => <NotSeen seat={seat} />;

/** The note for the writer of the final answer. */
export function NotSeenByWriter({ run }: { run: RunState }) {
  const { model } = run.synthesis;
  const names = model && unseenBy(picturesOf(run), model);
  return (
    names && <Flag>{t("{{model}} did not see {{names}}", { model: shortName(model), names })}</Flag>
  );
}
