import { t } from "../../i18n";
import { MoreButton, type MoreOf } from "../../ui/more-button";

/** The way to the links that are not shown yet. */
export const ShowMore = ({ list }: { list: MoreOf }) => (
  <MoreButton list={list} label={t("Show more")} className="button share-more" />
);
