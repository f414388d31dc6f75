import { features } from "..";
import type { CardNoteProps } from "../feature";

/** What the features have to say on a member's card. */
export const CardNotes = (props: CardNoteProps) =>
  features.map(({ name, CardNote }) => CardNote && <CardNote key={name} {...props} />);
