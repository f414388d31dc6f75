import { useWeights } from "../../api/insight";
import { msg, t } from "../../i18n";
import Weights from "../weights/weights";
import { Answered, Panel } from "./panel";

/** What each model's ballot would count in the next run, whatever days are shown. */
export function WeightsPanel() {
  const weights = useWeights();
  return (
    <Panel
      title={t("Weights")}
      lead={t(
        "What each model’s ballot counts in your next question, by how it did in your newest runs. The days above change nothing here.",
      )}
    >
      <Answered query={weights} failed={msg("The weights could not be read: {{reason}}")}>
        {(data) => <Weights weights={data} />}
      </Answered>
    </Panel>
  );
}
