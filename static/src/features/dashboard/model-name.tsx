import { Link } from "wouter";
import type { Whose } from "../../api/insight";
import { shortName } from "../../ui/format";

const bases: Record<Whose, string> = {
  own: "/dashboard/models/",
  everybody: "/admin/models/",
};

/** Slashes stay, so that an address can be read. */
export const modelPath = (whose: Whose, model: string) =>
  bases[whose] + model.split("/").map(encodeURIComponent).join("/");

/** The model that an address names; the rest of the path is as the browser has it. */
export function modelIn(path: string, whose: Whose): string {
  const rest = path.slice(bases[whose].length);
  try {
    return rest.split("/").map(decodeURIComponent).join("/");
  } catch {
    // A lone percent sign, typed by hand.
    return rest;
  }
}

/** A model by its short name, on the way to its page; the span goes with it. */
export function ModelLink({ model, whose }: { model: string; whose: Whose }) {
  return (
    <Link href={`${modelPath(whose, model)}${location.search}`} className="model-link">
      <span>{shortName(model)}</span>
      {shortName(model) !== model && <span className="model-maker">{model}</span>}
    </Link>
  );
}
