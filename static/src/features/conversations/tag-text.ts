import { t } from "../../i18n";

/** A tag as it is read: those that people give are as they wrote them, and the server's own is in the reader's language. */
export const tagText = (tag: string): string => (tag === "scheduled" ? t("scheduled") : tag);
