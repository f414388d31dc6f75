import { memo } from "react";
import type { Model } from "../../api/types";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { Icon } from "../../ui/icon";
import { figuresInWords, isFree, perMillion, tokens } from "./figures";

const label = (text: string) => <span className="offer-label">{text}</span>;

function Price({ model }: { model: Model }) {
  const { pricing } = model;
  if (!pricing) return <span className="offer-price offer-unknown">–</span>;
  if (isFree(model)) return <span className="offer-price">{t("free")}</span>;
  return (
    <>
      <span className="offer-price">
        <T
          text="<label>in </label>{{price}}"
          parts={{ label, price: perMillion(pricing.prompt) }}
        />
      </span>
      <span className="offer-price">
        <T
          text="<label>out </label>{{price}}"
          parts={{ label, price: perMillion(pricing.completion) }}
        />
      </span>
    </>
  );
}

interface Props {
  id: string;
  /** Its place in the list, by which a press finds it. */
  at: number;
  model: Model;
  active: boolean;
  /** The text next to it where it is taken already. */
  taken: string | null;
  off: boolean;
}

/** A model in the list: a list may have hundreds, so that only those are drawn anew that change. */
export const ModelOption = memo(function ModelOption({ id, at, model, active, taken, off }: Props) {
  return (
    // The keys are those of the box above, which keeps the focus.
    <div
      id={id}
      data-at={at}
      className="offer"
      role="option"
      tabIndex={-1}
      aria-selected={active}
      aria-disabled={off}
    >
      <span className="offer-who">
        <span className="offer-name">{model.name}</span>
        {model.id !== model.name && <span className="model-id">{model.id}</span>}
        {taken && <span className="offer-taken">{taken}</span>}
      </span>
      <span className="visually-hidden">{figuresInWords(model)}</span>
      <span className="offer-figures" aria-hidden="true">
        <Price model={model} />
        <span className="offer-context">
          {model.context_length ? (
            <T
              text="{{tokens}}<label> context</label>"
              parts={{ label, tokens: tokens(model.context_length) }}
            />
          ) : (
            "–"
          )}
        </span>
      </span>
      <Icon name={taken ? "check" : "plus"} />
    </div>
  );
});
