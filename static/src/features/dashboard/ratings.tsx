import { type Reach, useRatings, type Whose } from "../../api/insight";
import { useTags } from "../../api/queries";
import type { Leaderboard, RatingSource } from "../../api/types";
import { msg, t } from "../../i18n";
import { count } from "../../ui/format";
import { ScrollBox } from "../../ui/scroll-box";
import { Choice } from "./choice";
import { ratingScale } from "./figures";
import { ModelLink } from "./model-name";
import { Answered, Nothing, Panel } from "./panel";
import { useQueryOf } from "./use-span";

const sources: readonly (readonly [RatingSource, string])[] = [
  ["ballots", msg("From ballots")],
  ["people", msg("From people")],
];

/** A rating between the ends of its interval; the dashed line is the average, 1000. */
export function Interval({
  at,
  rating,
  low,
  high,
}: {
  at: (rating: number) => number;
  rating: number;
  low: number;
  high: number;
}) {
  return (
    <svg
      className="interval"
      viewBox="0 0 100 20"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <line className="interval-mean" x1={at(1000)} x2={at(1000)} y1="0" y2="20" />
      <rect
        className="interval-span"
        x={at(low)}
        width={Math.max(0.5, at(high) - at(low))}
        y="6"
        height="8"
      />
      <line className="interval-rating" x1={at(rating)} x2={at(rating)} y1="3" y2="17" />
    </svg>
  );
}

const nothingYet: Record<RatingSource, string> = {
  ballots: msg("No ballot in this period compares two models yet."),
  people: msg(
    "Nobody has chosen a best answer yet. Under each final answer you are asked “Which answer was the best?”.",
  ),
};

function Table({ board, whose }: { board: Leaderboard; whose: Whose }) {
  if (board.models.length === 0)
    return (
      <Nothing>
        <p className="quiet">{t(nothingYet[board.source])}</p>
      </Nothing>
    );
  const at = ratingScale(board.models);
  return (
    <>
      <ScrollBox label={t("Ratings")}>
        <table className="figures-table ratings">
          <caption className="visually-hidden">{t("Models by strength")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("Model")}</th>
              <th scope="col">{t("Rating")}</th>
              <th scope="col" className="interval-head">
                {t("95% interval")}
              </th>
              <th scope="col">{t("Runs")}</th>
              <th scope="col">{t("Comparisons won")}</th>
            </tr>
          </thead>
          <tbody>
            {board.models.map((row) => (
              <tr key={row.model}>
                <th scope="row">
                  <ModelLink model={row.model} whose={whose} />
                </th>
                <td className="rating">{count(Math.round(row.rating))}</td>
                <td className="interval-cell">
                  <Interval at={at} rating={row.rating} low={row.low} high={row.high} />
                  <span className="interval-ends">
                    {t("{{from}} to {{until}}", {
                      from: count(Math.round(row.low)),
                      until: count(Math.round(row.high)),
                    })}
                  </span>
                </td>
                <td>{count(row.runs)}</td>
                <td>
                  {count(row.wins)}{" "}
                  <span className="against">
                    {t("of {{all}}", { all: count(row.comparisons) })}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p className="quiet">
        {t(
          "From {{count, number}} runs; the intervals come from {{draws}} random samples of them. Where two intervals overlap a lot, the order of the two models means little.",
          { count: board.runs, draws: count(board.draws) },
        )}
      </p>
    </>
  );
}

function Board({ reach, source, tag }: { reach: Reach; source: RatingSource; tag: string | null }) {
  const board = useRatings(reach, source, tag);
  return (
    <Answered query={board} failed={msg("The ratings could not be loaded: {{reason}}")} lines={5}>
      {(data) => <Table board={data} whose={reach.whose} />}
    </Answered>
  );
}

function TagFilter({ tag, onChoose }: { tag: string | null; onChoose: (tag: string) => void }) {
  const tags = useTags().data?.tags ?? [];
  const known = tag === null || tags.includes(tag) ? tags : [...tags, tag];
  if (known.length === 0) return null;
  return (
    <label className="tag-choice">
      <span>{t("Conversations tagged")}</span>
      <select
        className="input"
        value={tag ?? ""}
        onChange={(event) => onChoose(event.target.value)}
      >
        <option value="">{t("any or none")}</option>
        {known.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Strengths by Bradley–Terry, of ballots and, apart from them, of what people said. */
export function Ratings({ reach }: { reach: Reach }) {
  const [query, write] = useQueryOf();
  const source = query.get("source") === "people" ? "people" : "ballots";
  // Tags are people's own: over everybody there is no such filter.
  const tag = reach.whose === "own" ? query.get("tag") || null : null;
  const set = (name: string, value: string | null) => {
    const next = new URLSearchParams(query);
    if (value) next.set(name, value);
    else next.delete(name);
    write(next);
  };
  return (
    <Panel
      title={t("Strength")}
      lead={t(
        "Strength, worked out from who was ranked above whom (the Bradley–Terry method): 1000 is average, and 400 more means ten times as strong. Ballots are models’ judgements of models; what people chose as the best answer is rated separately.",
      )}
    >
      <div className="panel-tools">
        <Choice
          label={t("Where the comparisons come from")}
          options={sources.map(([name, text]) => [name, t(text)])}
          value={source}
          onChoose={(name) => set("source", name === "people" ? name : null)}
        />
        {reach.whose === "own" && (
          <TagFilter tag={tag} onChoose={(name) => set("tag", name || null)} />
        )}
      </div>
      <Board key={`${source} ${tag}`} reach={reach} source={source} tag={tag} />
    </Panel>
  );
}
