import type { RoutingInfo } from "../../api/types";
import { shortName } from "../../ui/format";

const sure = (confidence: number | null | undefined) =>
  confidence === null || confidence === undefined
    ? ""
    : ` (${Math.round(confidence * 100)} % sure)`;

/** What kind of question it was taken for, and who answers it for that. */
export function RoutingNote({ routing }: { routing: RoutingInfo }) {
  return (
    <div className="run-note">
      <p>
        <span className="badge badge-kind">{routing.category}</span>
        {sure(routing.confidence)}{" "}
        {routing.is_routed
          ? `Routed to ${routing.models.map(shortName).join(", ")}.`
          : routing.pool_size === 0
            ? "No models are set for this kind: the whole council answers."
            : "Fewer than two models for this kind are available: the whole council answers."}
      </p>
      {routing.reasoning && <p className="quiet">{routing.reasoning}</p>}
      {routing.source === "keywords" && (
        <p className="quiet">
          The utility model could not be asked or understood: single words of the question decided.
        </p>
      )}
    </div>
  );
}
