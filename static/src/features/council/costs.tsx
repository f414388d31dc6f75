import type { Costs, Stage, StageCosts } from "../../api/types";
import { t } from "../../i18n";
import { CostMarks } from "../../ui/cost-marks";
import { Details } from "../../ui/disclosure";
import { count, duration, money, percent } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";
import { stageNames } from "./stages";

interface Known {
  cost?: number | null | undefined;
  unknown_cost_calls?: number | undefined;
  estimated_cost_calls?: number | undefined;
}

/** A sum of what is known, with what it leaves out, and what in it is an estimate; below the table it is said in words. */
function Sum({ of, text = money(of.cost) }: { of: Known; text?: string }) {
  if ((of.cost ?? null) === null) return money(null);
  return (
    <>
      {text}
      <CostMarks unknown={of.unknown_cost_calls ?? 0} estimated={of.estimated_cost_calls ?? 0} />
    </>
  );
}

/** All of it: a call of unknown price must not look free. */
function Together({ costs }: { costs: Costs }) {
  const sum = money(costs.total_cost);
  return (
    <Sum
      of={{ ...costs, cost: costs.total_cost }}
      text={costs.unknown_cost_calls > 0 ? t("at least {{sum}}", { sum }) : sum}
    />
  );
}

/** Runs of an earlier server do not tell them apart. */
const tokens = (given: number | null | undefined) => (given == null ? "–" : count(given));

/** Which part of the money each stage is; of the tokens where nothing was paid at all. */
function shareIn(costs: Costs): (stage: StageCosts) => string {
  const isPaid = Object.values(costs.by_stage ?? {}).some((stage) => stage.cost_percent != null);
  return ({ cost_percent, tokens_percent }) => {
    const part = isPaid ? cost_percent : tokens_percent;
    return part == null ? "–" : percent(part / 100);
  };
}

/** What each model used, the one that used most first. */
function ByModel({ costs }: { costs: Costs }) {
  const models = Object.entries(costs.by_model ?? {}).sort(([, a], [, b]) => b.tokens - a.tokens);
  if (models.length < 2) return null;
  return (
    <Details title={t("By model")}>
      {() => (
        <ScrollBox label={t("Cost by model")}>
          <table className="costs">
            <caption className="visually-hidden">{t("Cost by model")}</caption>
            <thead>
              <tr>
                <th scope="col">{t("Model")}</th>
                <th scope="col">{t("Calls")}</th>
                <th scope="col">{t("Tokens read")}</th>
                <th scope="col">{t("Tokens written")}</th>
                <th scope="col">{t("Cost")}</th>
              </tr>
            </thead>
            <tbody>
              {models.map(([model, used]) => (
                <tr key={model}>
                  <th scope="row">{model}</th>
                  <td>{used.calls}</td>
                  <td>{count(used.prompt_tokens)}</td>
                  <td>{count(used.completion_tokens)}</td>
                  <td>
                    <Sum of={used} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Details>
  );
}

interface Props {
  costs: Costs;
  /** What a stage is called in the run that they are of; `name` is a text of the catalogue. */
  nameOf?: (key: Stage, name: string) => string;
}

export function CostTable({ costs, nameOf = (_, name) => t(name) }: Props) {
  const share = shareIn(costs);
  return (
    <>
      <ScrollBox label={t("Cost and time")}>
        <table className="costs">
          <caption className="visually-hidden">{t("Cost and time by stage")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Stage")}</th>
              <th scope="col">{t("Calls")}</th>
              <th scope="col">{t("Tokens read")}</th>
              <th scope="col">{t("Tokens written")}</th>
              <th scope="col">{t("Longest call")}</th>
              <th scope="col">{t("Cost")}</th>
              <th scope="col">{t("Share")}</th>
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
                  <td>{tokens(stage.prompt_tokens)}</td>
                  <td>{tokens(stage.completion_tokens)}</td>
                  <td>{duration(stage.latency_ms)}</td>
                  <td>
                    <Sum of={stage} />
                  </td>
                  <td>{share(stage)}</td>
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t("Total")}</th>
              <td />
              <td>{tokens(costs.total_prompt_tokens)}</td>
              <td>{tokens(costs.total_completion_tokens)}</td>
              <td />
              <td>
                <Together costs={costs} />
              </td>
              <td />
            </tr>
          </tfoot>
        </table>
      </ScrollBox>
      <ByModel costs={costs} />
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
