import { t } from "../../i18n";
import { count, ordinal, percent } from "../../ui/format";
import { Bar } from "./bar";
import { placesOf } from "./figures";

/** How often a model came to each place. */
export function Places({ distribution }: { distribution: Readonly<Record<string, number>> }) {
  const places = placesOf(distribution);
  const all = places.reduce((sum, [, times]) => sum + times, 0);
  const most = Math.max(1, ...places.map(([, times]) => times));
  if (all === 0)
    return <p className="quiet">{t("None of its answers was ranked in this period.")}</p>;
  return (
    <table className="places">
      <caption className="visually-hidden">{t("How often it took each place")}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">{t("Place")}</th>
          <th scope="col">{t("Answers")}</th>
        </tr>
      </thead>
      <tbody>
        {places.map(([place, times]) => (
          <tr key={place} className={place === 1 ? "place-first" : undefined}>
            <th scope="row">{ordinal(place)}</th>
            <td>
              <span className="place-line">
                <Bar percent={(100 * times) / most} />
                <span className="place-figure">
                  {count(times)} <span className="against">({percent(times / all)})</span>
                </span>
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
