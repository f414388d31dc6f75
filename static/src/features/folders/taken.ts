import { t } from "../../i18n";

/** What can be wrong with a name that is there and not too long. */
export const takenName = () => ({ name: t("Another folder of yours is called so.") });
