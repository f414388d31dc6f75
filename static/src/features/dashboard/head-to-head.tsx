import { type Reach, useHeadToHead, type Whose } from "../../api/insight";
import type { Pair } from "../../api/types";
import { msg, t } from "../../i18n";
import { count, percent, shortName } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";
import { allDuels, type Duel, duelsOf, sortedBy } from "./figures";
import { ModelLink } from "./model-name";
import { Answered, Nothing, Panel } from "./panel";

/** One of five shades, from mostly lost to mostly won. */
const shade = ({ share }: Duel) => Math.min(5, Math.max(1, Math.floor(share / 20) + 1));

export function record({ won, runs, ties }: Duel): string {
  const values = { won: count(won), runs: count(runs) };
  if (ties === 0) return t("{{won}} of {{runs}}", values);
  return t("{{won}} of {{runs}}, {{count, number}} ties", { ...values, count: ties });
}

function Cell({ duel }: { duel: Duel | undefined }) {
  if (!duel) {
    return (
      <td className="duel-none">
        <span aria-hidden="true">·</span>
        <span className="visually-hidden">{t("never met")}</span>
      </td>
    );
  }
  return (
    <td className={`duel-${shade(duel)}`}>
      <strong>{percent(duel.share / 100)}</strong>
      <span className="duel-record">{record(duel)}</span>
    </td>
  );
}

function Table({ pairs, whose }: { pairs: readonly Pair[]; whose: Whose }) {
  if (pairs.length === 0) {
    return (
      <Nothing>
        <p className="quiet">{t("No two models were ranked in the same run in this period.")}</p>
      </Nothing>
    );
  }
  const table = duelsOf(pairs);
  const models = sortedBy([...table], ([, line]) => allDuels(line).share, true);
  return (
    <ScrollBox label={t("Head to head")}>
      <table className="matrix duels">
        <caption className="visually-hidden">
          {t(
            "How often the model of the row came before the model of the column. A tie is half of one.",
          )}
        </caption>
        <thead>
          <tr>
            <th scope="col">{t("Came before …")}</th>
            {models.map(([model]) => (
              <th key={model} scope="col" title={model}>
                <span className="matrix-name">{shortName(model)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map(([row, line]) => (
            <tr key={row}>
              <th scope="row">
                <ModelLink model={row} whose={whose} />
              </th>
              {models.map(([column]) =>
                column === row ? (
                  <td key={column} className="duel-none">
                    <span aria-hidden="true">–</span>
                    <span className="visually-hidden">{t("itself")}</span>
                  </td>
                ) : (
                  <Cell key={column} duel={line.get(column)} />
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

export function HeadToHead({ reach }: { reach: Reach }) {
  const met = useHeadToHead(reach);
  return (
    <Panel
      title={t("Head to head")}
      lead={t(
        "How often the model of the row came before the model of the column, in runs that ranked both. A tie is half of one.",
      )}
    >
      <Answered query={met} failed={msg("The comparison could not be loaded: {{reason}}")}>
        {({ pairs }) => <Table pairs={pairs} whose={reach.whose} />}
      </Answered>
    </Panel>
  );
}
