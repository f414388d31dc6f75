/** Everything of this page's reader was deleted, in another tab of this browser: nothing of it stays in this one. */
import { leaveTab } from "../../api/own-data";
import { showErased } from "./erased";

showErased("elsewhere");
leaveTab();
