/** Whom a follow-up can be asked alone. */
import type { Turn } from "../council/turns";
import { membersOf } from "../formats";
import { chairman } from "./ask";

/** The chairman without the council, whose seat is called what the chairman is. */
const isChairmans = ({ run, live }: Turn) =>
  live?.to === chairman || run?.synthesis.result?.heading_fact?.code === "chairman_alone";

/** Those who have answered, by their names. The chairman is asked as such, and stands for itself. */
export const seatsOf = (turns: readonly Turn[]): readonly string[] => [
  ...new Set(turns.flatMap((turn) => (turn.run && !isChairmans(turn) ? membersOf(turn.run) : []))),
];
