import { Icon } from "./icon";

/** The heading of a part of the sidebar, with the way to something new in it. */
export function ListHead({ name, add, onAdd }: { name: string; add: string; onAdd: () => void }) {
  return (
    <div className="day day-head">
      <h2>{name}</h2>
      <button
        type="button"
        className="icon-button"
        aria-haspopup="dialog"
        aria-label={add}
        title={add}
        onClick={onAdd}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}
