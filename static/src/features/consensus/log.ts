import type { Schemas } from "../../api/types";
import { t } from "../../i18n";
import { shortName } from "../../ui/format";
import type { Sentences } from "../../ui/said";

/** What the process log says of early consensus. */
export const log: Sentences<Schemas["ConsensusNote"]> = {
  agreed_on: ({ member }) =>
    member
      ? t("The council agrees on the answer by {{name}}", { name: shortName(member) })
      : t("The council agrees on the answer by one member"),
};
