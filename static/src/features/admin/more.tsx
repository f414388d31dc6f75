import { MoreButton, type MoreOf } from "../../ui/more-button";

/** How much of a list is shown, and the way to the rest. */
export function More({
  list,
  shown,
  label,
}: {
  list: MoreOf;
  /** How much that is. */
  shown: string;
  label: string;
}) {
  return (
    <p className="more">
      <span className="quiet" role="status">
        {shown}
      </span>
      <MoreButton list={list} label={label} />
    </p>
  );
}
