import { createContext } from "react";

/** Whether this is somebody's to read and nothing more: there is no run to be asked about at the server. */
export const ReadOnly = createContext(false);
