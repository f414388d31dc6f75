import type { Costs, Stage, StageCosts } from "../../api/types";
import { t } from "../../i18n";
import { CostMarks } from "../../ui/cost-marks";
import { count, duration, money } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";
import { stageNames } from "./stages";

/** What a stage's sum leaves out, and what in it is an estimate. */
function Marks({ stage }: { stage: StageCosts }) {
  const unknown = stage.unknown_cost_calls ?? 0;
  const estimated = stage.estimated_cost_calls ?? 0;
  if (stage.cost === null || stage.cost === undefined) return null;
  return <CostMarks unknown={unknown} estimated={estimated} />;
}

interface Props {
  costs: Costs;
  /** What a stage is called in the run that they are of; `name` is a text of the catalogue. */
  nameOf?: (key: Stage, name: string) => string;
}

export function CostTable({ costs, nameOf = (_, name) => t(name) }: Props) {
  return (
    <>
      <ScrollBox label={t("Cost and time")}>
        <table className="costs">
          <caption className="visually-hidden">{t("Cost and time by stage")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Stage")}</th>
              <th scope="col">{t("Calls")}</th>
              <th scope="col">{t("Tokens")}</th>
              <th scope="col">{t("Longest call")}</th>
              <th scope="col">{t("Cost")}</th>
            </tr>
          </thead>
          <tbody>
            {stageNames.map(([key, name]) => {
              const stage = costs.by_stage?.[key];
              if (!stage || stage.calls === 0) return null;
              return (
                <tr key={key}>
                  <th scope="row">{nameOf(key, name)}</th>
                  <td>{stage.calls}</td>
                  <td>{count(stage.tokens)}</td>
                  <td>{duration(stage.latency_ms)}</td>
                  <td>
                    {money(stage.cost)}
                    <Marks stage={stage} />
                  </td>
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t("Together")}</th>
              <td />
              <td>{count(costs.total_tokens)}</td>
              <td />
              <td>{money(costs.total_cost)}</td>
            </tr>
          </tfoot>
        </table>
      </ScrollBox>
      {costs.unknown_cost_calls > 0 && (
        <p className="quiet">
          {t("+ {{count, number}} calls of unknown price, not included.", {
            count: costs.unknown_cost_calls,
          })}
        </p>
      )}
      {(costs.estimated_cost_calls ?? 0) > 0 && (
        <p className="quiet">
          {t(
            "≈ {{count, number}} calls worked out from list prices: what the provider charges may differ.",
            { count: costs.estimated_cost_calls ?? 0 },
          )}
        </p>
      )}
    </>
  );
}
