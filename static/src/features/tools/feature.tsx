/** Tools: members search the web themselves, and their cards show for what and with what result. */
import type { Feature } from "../feature";
import { Around, ToolUses } from "./card";
import { start } from "./start";
import { events, settle } from "./state";

export const feature = {
  ...start,
  events,
  settle,
  Around,
  CardNote: ToolUses,
} satisfies Feature;
