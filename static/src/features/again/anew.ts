import { createContext, useContext } from "react";
import type { Choices } from "../feature";

/** Asks the question of a turn once more, as a new one with other choices. */
export type AskAnew = (choices: Partial<Choices>) => void;

export const AskAnewContext = createContext<AskAnew | null>(null);

/** Null where the turn is not the latest one, or is under way. */
export const useAskAnew = () => useContext(AskAnewContext);
