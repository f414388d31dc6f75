import type { Ignored } from "../../api/types";
import { names } from "../options/choices";

const nameOf = (field: string) =>
  Object.hasOwn(names, field) ? names[field as keyof typeof names] : field;

/** Options that were switched on and do not apply to this run. */
export function IgnoredOptions({ ignored }: { ignored: readonly Ignored[] }) {
  if (ignored.length === 0) return null;
  return (
    <ul className="run-note" aria-label="Options that do not apply">
      {ignored.map(({ field, reason }) => (
        <li key={field}>
          <strong>{nameOf(field)}</strong> did not apply: {reason}.
        </li>
      ))}
    </ul>
  );
}
