/** A question to one seat alone, as the server takes it. */
import type { Ask } from "../../api/types";
import { council, formats, options, ways } from "../options/choices";

/** How a request names the chairman. */
export const chairman = "chairman";

/** What only several can do, by the request's fields. */
const ofMany = new Set<string>([
  "quorum",
  "straggler_grace_ms",
  "reviews_per_answer",
  ...formats.flatMap(({ ask, fields = [] }) => [
    ...Object.keys(ask),
    ...fields.map(({ field }) => field),
  ]),
  ...options
    .filter(({ everyFormat }) => !everyFormat)
    .flatMap(({ field, amount, way }) => [field, amount?.field ?? field, way?.field ?? field]),
  ...ways.filter(({ everyFormat }) => !everyFormat).map(({ field }) => field),
]);

/** The question to this seat alone. */
export function toSeat(body: Ask, to: string): Ask {
  const rest = Object.entries(body).filter(([field]) => !ofMany.has(field));
  return { ...(Object.fromEntries(rest) as Ask), ...council.ask, direct_to: to };
}
