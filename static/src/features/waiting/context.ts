import { createContext, useContext } from "react";

/** The run that is under way on this page; null where there is nothing to wait for. */
export const UnderWayContext = createContext<string | null>(null);

export const useUnderWay = () => useContext(UnderWayContext);
