import { useWeights } from "../../api/insight";
import { msg, t } from "../../i18n";
import WeightsTable from "../weights/table";
import { Answered, Panel } from "./panel";

/** What each model's ballot would count in the next run, whatever days are shown. */
export function WeightsPanel() {
  const weights = useWeights();
  return (
    <Panel
      title={t("Weights")}
      lead={t(
        "How much each model’s ballot will count in your next question, based on your newest runs. The period chosen above does not affect this.",
      )}
    >
      <Answered query={weights} failed={msg("The weights could not be loaded: {{reason}}")}>
        {(data) => <WeightsTable weights={data} />}
      </Answered>
    </Panel>
  );
}
