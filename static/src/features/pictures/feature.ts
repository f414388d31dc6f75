/** Pictures that a question comes with: the cards of members and reviewers and the final answer say so where they were not shown. */
import type { Feature } from "../feature";
import { Around, NotSeen, NotSeenByMember, NotSeenByWriter } from "./card";
import { start } from "./start";
import { events, stored } from "./state";

export const feature = {
  ...start,
  events,
  stored,
  Around,
  CardNote: NotSeenByMember,
  ReviewNote: NotSeen,
  notes: { final: NotSeenByWriter },
} satisfies Feature;
