import { shortName } from "../../ui/format";

/** A member's mark: the same letter and colour in every view of a run. */
export function Monogram({ member, seat }: { member: string; seat: number }) {
  const letter =
    shortName(member)
      .replace(/[^\p{L}\p{N}]/gu, "")
      .slice(0, 1)
      .toUpperCase() || "?";
  return (
    <span className={`monogram seat-${(seat % 7) + 1}`} aria-hidden="true">
      {letter}
    </span>
  );
}
