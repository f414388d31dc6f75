import type { Costs, Stage, StageCosts } from "../../api/types";
import { count, duration, money, plural } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";

/** In the order of a run. A record, so that the compiler asks for the one that is missing. */
const stages: Record<Stage, string> = {
  routing: "Routing",
  stage1: "Answers",
  stage2: "Reviews",
  stage3: "Final answer",
  refinement: "Refinement",
  adversary: "Devil’s advocate",
  title: "Title",
};

/** What a stage's sum leaves out, and what in it is an estimate. */
function Marks({ stage }: { stage: StageCosts }) {
  const unknown = stage.unknown_cost_calls ?? 0;
  const estimated = stage.estimated_cost_calls ?? 0;
  if (stage.cost === null || stage.cost === undefined) return null;
  return (
    <>
      {estimated > 0 && (
        <span className="cost-mark">
          <span aria-hidden="true"> ≈</span>
          <span className="visually-hidden"> in part estimated</span>
        </span>
      )}
      {unknown > 0 && (
        <span className="cost-mark">
          <span aria-hidden="true"> +</span>
          <span className="visually-hidden"> and {plural(unknown, "call")} of unknown price</span>
        </span>
      )}
    </>
  );
}

export function CostTable({ costs }: { costs: Costs }) {
  return (
    <>
      <ScrollBox label="Cost and time">
        <table className="costs">
          <caption className="visually-hidden">Cost and time by stage</caption>
          <thead>
            <tr>
              <th scope="col">Stage</th>
              <th scope="col">Calls</th>
              <th scope="col">Tokens</th>
              <th scope="col">Time</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(stages).map(([key, name]) => {
              const stage = costs.by_stage?.[key];
              if (!stage || stage.calls === 0) return null;
              return (
                <tr key={key}>
                  <th scope="row">{name}</th>
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
              <th scope="row">Together</th>
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
          + {plural(costs.unknown_cost_calls, "call")} of unknown price, not included.
        </p>
      )}
      {(costs.estimated_cost_calls ?? 0) > 0 && (
        <p className="quiet">
          ≈ {plural(costs.estimated_cost_calls ?? 0, "call")} worked out from list prices: what the
          provider charges may differ.
        </p>
      )}
    </>
  );
}
