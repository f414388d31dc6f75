import { msg, t } from "../../i18n";
import type { About, Choices } from "../feature";

const meanings: Record<NonNullable<Choices["self_votes"]>, string> = {
  adjusted: msg(
    "A member’s place for its own answer counts, moved by as much as that model has preferred itself before.",
  ),
  counted: msg("A member’s place for its own answer counts like any other, self-praise included."),
  left_out: msg(
    "A member’s place for its own answer is shown and does not count: there is less to judge by.",
  ),
};

export const about: About = {
  tell: ({ self_votes = "adjusted" }) => ({
    what: t(meanings[self_votes]),
    cost: t("No extra calls."),
  }),
};
