/** Pictures that a question comes with: a card says so where its member was not shown them. */
import type { Feature } from "../feature";
import { Around, NotSeen } from "./card";
import { start } from "./start";
import { events, stored } from "./state";

export const feature = {
  ...start,
  events,
  stored,
  Around,
  CardNote: NotSeen,
} satisfies Feature;
