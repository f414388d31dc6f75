/** The jury: models that review the answers in the members' place. */
import type { Feature } from "../feature";
import { start } from "./start";

export const jury = start satisfies Feature;
