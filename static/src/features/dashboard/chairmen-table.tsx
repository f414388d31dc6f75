import { type Reach, useChairmen, type Whose } from "../../api/insight";
import type { Chairmen } from "../../api/types";
import { msg, t } from "../../i18n";
import { count, duration } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";
import { Cost, CostLegend } from "./cost";
import { sortedBy, sumOfCosts } from "./figures";
import { ModelLink } from "./model-name";
import { Answered, Nothing, Panel } from "./panel";

function Table({ chairmen, whose }: { chairmen: Chairmen; whose: Whose }) {
  const rows = sortedBy(Object.entries(chairmen.models), ([, row]) => row.times_used, true);
  if (rows.length === 0)
    return (
      <Nothing>
        <p className="quiet">{t("No final answer was written in this period.")}</p>
      </Nothing>
    );
  return (
    <>
      <ScrollBox label={t("Chairmen")}>
        <table className="figures-table">
          <caption className="visually-hidden">{t("Who wrote the final answers")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Model")}</th>
              <th scope="col">{t("Wrote")}</th>
              <th scope="col" title={t("In the place of a chairman that failed")}>
                {t("As a stand-in")}
              </th>
              <th scope="col">{t("Thumbs up")}</th>
              <th scope="col">{t("Thumbs down")}</th>
              <th scope="col">{t("Time")}</th>
              <th scope="col">{t("Cost")}</th>
              <th scope="col">{t("Failed calls")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([model, row]) => (
              <tr key={model}>
                <th scope="row">
                  <ModelLink model={model} whose={whose} />
                </th>
                <td>{count(row.times_used)}</td>
                <td>{row.times_stood_in ? count(row.times_stood_in) : "–"}</td>
                <td>{row.thumbs_up ? count(row.thumbs_up) : "–"}</td>
                <td>{row.thumbs_down ? count(row.thumbs_down) : "–"}</td>
                <td>{row.latency_ms ? duration(row.latency_ms.median) : "–"}</td>
                <td>
                  <Cost of={row} />
                </td>
                <td>
                  {row.failures > 0 ? (
                    <span className="some-failed">
                      {count(row.failures)}{" "}
                      <span className="against">
                        {t("of {{all}}", { all: count(row.total_calls) })}
                      </span>
                    </span>
                  ) : (
                    "0"
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p className="quiet">
        {t("{{count, number}} final answers in all. Costs and times are those of writing them.", {
          count: chairmen.total_syntheses,
        })}
      </p>
      <CostLegend of={sumOfCosts(rows.map(([, row]) => row))} />
    </>
  );
}

export function ChairmenTable({ reach }: { reach: Reach }) {
  const chairmen = useChairmen(reach);
  return (
    <Panel
      title={t("Chairmen")}
      lead={t("Who wrote the final answers, and what people thought of them.")}
    >
      <Answered query={chairmen} failed={msg("The chairmen could not be loaded: {{reason}}")}>
        {(data) => <Table chairmen={data} whose={reach.whose} />}
      </Answered>
    </Panel>
  );
}
