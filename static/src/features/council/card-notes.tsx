import { features } from "..";
import type { CardNoteProps, ReviewNoteProps } from "../feature";

/** What the features have to say on a member's card. */
export const CardNotes = (props: CardNoteProps) =>
  features.map(({ name, CardNote }) => CardNote && <CardNote key={name} {...props} />);

/** The notes on a reviewer's card. */
export const ReviewNotes = (props: ReviewNoteProps) =>
  features.map(({ name, ReviewNote }) => ReviewNote && <ReviewNote key={name} {...props} />);
