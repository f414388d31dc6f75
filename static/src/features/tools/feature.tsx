/** Tools: members search the web themselves, and their cards show for what and with what result. */
import { msg } from "../../i18n";
import { noSearch } from "../citing/available";
import type { Feature } from "../feature";
import { Around, ToolUses } from "./card";
import { events, settle } from "./state";

export const tools = {
  name: "tools",
  title: msg("Members search"),
  events,
  settle,
  Around,
  CardNote: ToolUses,
  option: {
    field: "use_tools",
    group: "answers",
    everyFormat: true,
    obstacle: noSearch,
    isForServer: true,
  },
} satisfies Feature;
