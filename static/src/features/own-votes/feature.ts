/** What a member's ballot says of its own answer: it counts corrected, as it was cast, or not at all. */
import type { Feature } from "../feature";
import { start } from "./start";

export const ownVotes = start satisfies Feature;
