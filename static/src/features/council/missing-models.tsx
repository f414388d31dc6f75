import "../../styles/missing.css";
import type { MissingModel } from "../../api/types";
import { t } from "../../i18n";
import { passFocusOn } from "../../ui/focus";
import { Nearest } from "../models/nearest";

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

interface Props {
  models: readonly MissingModel[];
  /** Puts a model in the place of one that is gone, where that can be done. */
  onReplace?: (model: string, nearest: string) => void;
}

/** A sentence for each model that is not on offer. */
export function MissingModels({ models, onReplace }: Props) {
  return (
    <ul className="missing-models">
      {models.map((missing) => (
        <li key={missing.model}>
          {textOf(missing)}
          {onReplace && missing.nearest && !missing.replaced && (
            <Nearest
              model={missing.model}
              nearest={[missing.nearest]}
              onChoose={(nearest, button) => {
                passFocusOn(button.closest("li"), "button", ".member-handle");
                onReplace(missing.model, nearest);
              }}
            />
          )}
        </li>
      ))}
    </ul>
  );
}
