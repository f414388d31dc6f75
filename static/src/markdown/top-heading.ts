import { createContext } from "react";

/** The level at which the headings of a model's text begin: the one below the heading it stands under. */
export const TopHeading = createContext<4 | 5>(5);
