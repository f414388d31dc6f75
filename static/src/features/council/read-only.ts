import { createContext } from "react";

/** Whether this is for reading only: there is no run to be asked about at the server. */
export const ReadOnly = createContext(false);
