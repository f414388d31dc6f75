import { shortName } from "../../ui/format";

/** A member's mark: the same letter and colour in every view of a run. The letter is its name's, or its model's own. */
export function Monogram({ member, seat }: { member: string; seat: number }) {
  // What stands before the first colon is a provider, unless a tag follows it: `llama3:8b`, `x/y:free`.
  const own = shortName(member.replace(/^[\w-]+:(?=[a-z])/i, ""));
  return (
    <span className={`monogram seat-${(seat % 7) + 1}`} aria-hidden="true">
      {/[\p{L}\p{N}]/u.exec(own)?.[0].toUpperCase() ?? "?"}
    </span>
  );
}
