import { asProblem } from "../api/problem";
import { t } from "../i18n";
import { toast } from "./toast";

/** Says in a toast why something came to nothing: `what` has a place for the `{{message}}`. */
export const complain = (what: string) => (error: unknown) =>
  toast(t(what, { message: asProblem(error).message }), { tone: "bad" });
