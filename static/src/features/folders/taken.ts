import { t } from "../../i18n";

/** What can be wrong with a name that is there and not too long. */
export const takenName = () => ({ name: t("You already have a folder with this name.") });
