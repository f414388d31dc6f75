/** What a model costs and holds, as it is read in a list. */
import type { Model } from "../../api/types";
import { t } from "../../i18n";
import { numberFormat } from "../../ui/format";

const dollars = (most: number) =>
  numberFormat({
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: most,
    useGrouping: false,
  });
const cents = dollars(2);
const mills = dollars(3);

/** A price of a million tokens. */
export const ofMillion = (usd: number) => (usd > 0 && usd < 0.1 ? mills(usd) : cents(usd));

/** A price per token as one per million tokens. */
export const perMillion = (usd: number) => ofMillion(usd * 1_000_000);

const short = numberFormat({ maximumFractionDigits: 1 });

/** 128000 as 128k, 1048576 as 1M. */
export function tokens(n: number): string {
  if (n >= 999_500) return `${short(Math.round(n / 100_000) / 10)}M`;
  return n < 1000 ? short(n) : `${short(Math.round(n / 1000))}k`;
}

export const isFree = ({ pricing }: Model) => pricing?.prompt === 0 && pricing.completion === 0;

/** The figures in words, for screen readers. */
export function figuresInWords(model: Model): string {
  const { pricing, context_length: context } = model;
  const price = !pricing
    ? t("price unknown")
    : isFree(model)
      ? t("free")
      : t("{{in}} in, {{out}} out per million tokens", {
          in: perMillion(pricing.prompt),
          out: perMillion(pricing.completion),
        });
  return context ? `${price}, ${t("{{tokens}} context", { tokens: tokens(context) })}` : price;
}
