/** Whom a follow-up can be asked alone, and where they sit. */
import { createContext } from "react";
import type { Turn } from "../council/turns";
import { membersOf } from "../formats";
import { chairman } from "./ask";

/** The chairman without the council, whose seat is called what the chairman is. */
const isChairmans = ({ run, live }: Turn) =>
  live?.to === chairman || run?.synthesis.result?.heading_fact?.code === "chairman_alone";

/** The seat that alone was asked, as a request names it; null for a council. */
export function askedAlone({ run, live }: Pick<Turn, "run" | "live">): string | null {
  const fact = run?.synthesis.result?.heading_fact;
  if (fact?.code === "member_alone") return fact.member;
  return fact?.code === "chairman_alone" ? chairman : (live?.to ?? null);
}

/**
 * The seats that have answered, by their names. The chairman is asked as such, and stands for
 * itself.
 */
export const seatsOf = (turns: readonly Turn[]): readonly string[] => [
  ...new Set(turns.flatMap((turn) => (turn.run && !isChairmans(turn) ? membersOf(turn.run) : []))),
];

/** The seats of the newest council in which each sits, by their names: whoever is asked alone keeps the colour of theirs. */
export function councilSeats(turns: readonly Turn[]): Readonly<Record<string, number>> {
  const seats: Record<string, number> = {};
  for (const { run } of turns) {
    const members = run ? membersOf(run) : [];
    if (members.length > 1) for (const [seat, member] of members.entries()) seats[member] = seat;
  }
  return seats;
}

/** The seats of the conversation that is shown, where they are known. */
export const CouncilSeats = createContext<Readonly<Record<string, number>>>({});
