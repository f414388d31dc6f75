import { t } from "../../i18n";
import { Steps } from "../../ui/steps";
import type { About } from "../feature";
import { start } from "./start";

const { least, most } = start.option.amount;
const rounds = Array.from({ length: most - least + 1 }, (_, at) => least + at);

export const about: About = {
  tell({ refinement_max_iterations: rounds = 1 }, config) {
    const members = config?.council_models.length ?? 4;
    return {
      what: t("Members criticise the draft, and the chairman revises it."),
      cost: t(
        "Up to {{count, number}} extra calls; two answers’ time a round. Stops when little is left to say.",
        { count: rounds * (members + 1) },
      ),
    };
  },
  More: ({ choices, onChange }) => (
    <Steps
      legend={t("Maximum number of rounds")}
      values={rounds}
      value={choices.refinement_max_iterations ?? least}
      text={String}
      onChange={(value) => onChange({ refinement_max_iterations: value })}
    />
  ),
};
