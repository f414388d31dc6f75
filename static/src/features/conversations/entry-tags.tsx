import { t } from "../../i18n";
import { listText } from "../../ui/format";
import { tagText } from "./tag-text";

/** How many stand in an entry; a list of titles is no list of tags. */
const most = 2;

/** A conversation's first tags under its title, and how many more there are; the whole list is their title. */
export function EntryTags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  const more = tags.length - most;
  return (
    <span className="entry-tags" title={listText(tags.map(tagText))}>
      <span className="visually-hidden">{t("Tags:")} </span>
      {tags.slice(0, most).map((tag) => (
        <span key={tag} dir="auto" className="entry-tag">
          {tagText(tag)}
        </span>
      ))}
      {more > 0 && (
        <span className="entry-tags-more">
          <span aria-hidden="true">+{more}</span>
          <span className="visually-hidden">
            {t("and {{count, number}} more", { count: more })}
          </span>
        </span>
      )}
    </span>
  );
}
