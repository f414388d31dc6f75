import type { ConversationSummary } from "../../api/types";
import type { Choosing } from "./choosing";
import { EntryTags } from "./entry-tags";
import { useShownTitle } from "./title";

interface Props {
  item: ConversationSummary;
  choosing: Choosing;
}

/** A conversation in the list while several are chosen: a check box under its title. */
export function Choice({ item, choosing: { chosen, toggle } }: Props) {
  const title = useShownTitle(item);
  const isOn = chosen.some(({ id }) => id === item.id);
  return (
    <li className={isOn ? "entry entry-open" : "entry"}>
      <label className="entry-choice">
        <input
          type="checkbox"
          value={item.id}
          checked={isOn}
          onChange={({ nativeEvent }) =>
            toggle(item.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
          }
        />
        <span dir="auto" className="entry-title">
          {title}
        </span>
        <EntryTags tags={item.tags} />
      </label>
    </li>
  );
}
