/** Whether the answers are reviewed: without, the chairman writes from the answers alone. */
import type { Feature } from "../feature";
import { start } from "./start";

export const unreviewed = start satisfies Feature;
