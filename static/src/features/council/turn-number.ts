import { createContext } from "react";

/** Which turn of its conversation this is, 1 is the first; null for the latest, which is the one meant. */
export const TurnNumber = createContext<number | null>(null);
