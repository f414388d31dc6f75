import { msg, t } from "../../i18n";
import type { RunState } from "../../run/state";
import { listText, percent, shortName } from "../../ui/format";
import { Said, say } from "../../ui/said";
import { sentences } from "./facts";
import { type RoutingInfo, routingOf } from "./state";

const categories: Record<RoutingInfo["category"], string> = {
  coding: msg("coding"),
  creative: msg("creative"),
  factual: msg("factual"),
  analysis: msg("analysis"),
  general: msg("general"),
};

export const categoryName = (category: RoutingInfo["category"]) =>
  t(categories[category] ?? category);

function kindOf({ category, confidence }: RoutingInfo): string {
  const name = categoryName(category);
  return confidence === null || confidence === undefined
    ? name
    : t("{{category}}, {{percent}} sure", { category: name, percent: percent(confidence) });
}

/** The model's own words; where none said it, what the server says instead. */
function Reasoning({ routing }: { routing: RoutingInfo }) {
  if (routing.source === "model") return routing.reasoning;
  return <Said said={say(sentences, routing.reasoning_fact)} text={routing.reasoning} />;
}

/** What kind of question it was taken for, and who answers it for that. */
export function RoutingNote({ run }: { run: RunState }) {
  const routing = routingOf(run);
  if (!routing) return null;
  return (
    <div className="run-note">
      <p>
        <span className="badge badge-kind">{kindOf(routing)}</span>{" "}
        {routing.is_routed
          ? t("Routed to {{models}}.", { models: listText(routing.models.map(shortName)) })
          : routing.pool_size === 0
            ? t("No models are set for this kind: the whole council answers.")
            : t("Fewer than two models for this kind are available: the whole council answers.")}
      </p>
      {routing.reasoning && (
        <p className="quiet">
          <Reasoning routing={routing} />
        </p>
      )}
      {routing.source === "keywords" && (
        <p className="quiet">
          {t(
            "The utility model failed or could not be understood, so keywords in the question decided.",
          )}
        </p>
      )}
    </div>
  );
}
