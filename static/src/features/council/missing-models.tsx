import "../../styles/missing.css";
import type { MissingModel } from "../../api/types";
import { t } from "../../i18n";

/** What becomes of a model that its provider's list does not have. */
function textOf({ model, nearest, replaced }: MissingModel): string {
  if (nearest && replaced) {
    return t("{{model}} is not on offer now. {{nearest}} is asked in its place.", {
      model,
      nearest,
    });
  }
  if (nearest) {
    return t(
      "{{model}} is not on its provider’s list and will probably not answer. The nearest model there is {{nearest}}.",
      { model, nearest },
    );
  }
  return t("{{model}} is not on its provider’s list and will probably not answer.", { model });
}

/** A sentence for each model that is not on offer. */
export function MissingModels({ models }: { models: readonly MissingModel[] }) {
  return (
    <ul className="missing-models">
      {models.map((missing) => (
        <li key={missing.model}>{textOf(missing)}</li>
      ))}
    </ul>
  );
}
