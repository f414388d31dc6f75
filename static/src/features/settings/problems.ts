/**
 * What the server would refuse of a draft, said while it is typed: the rules of its
 * `council/settings.rs` and `council/option_settings.rs`, under its names of the fields. Whatever is
 * missing here it still says itself when the draft is saved.
 */
import type { FieldError } from "../../api/problem";
import { t } from "../../i18n";
import { count } from "../../ui/format";
import { readNumber, unclearNumber } from "../../ui/numbers";
import type { SettingsDraft } from "./form";

const leastMembers = 2;
const mostNameChars = 200;
const mostPromptChars = 20_000;

const lengthOf = (text: string) => (text.length > mostNameChars ? [...text].length : text.length);
/** Control characters, and those that make two names look like one. */
const unseen = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
const isName = (text: string) =>
  text.trim() !== "" && lengthOf(text) <= mostNameChars && !unseen.test(text);
const isModel = (text: string) => isName(text) && !/\s/.test(text);

const nameRule = () =>
  t("At most {{most}} characters, none of them invisible.", { most: count(mostNameChars) });

function modelRule(text: string): string {
  if (text === "") return t("A model is needed here.");
  if (/\s/.test(text)) return t("A model’s id has no spaces.");
  return nameRule();
}

type Say = (field: string, message: string) => void;

function members(say: Say, { seats }: SettingsDraft, most: number) {
  if (seats.length < leastMembers || seats.length > most) {
    say(
      "council_models",
      t("A council has {{least}} to {{most}} members; this one has {{number}}.", {
        least: count(leastMembers),
        most: count(most),
        number: count(seats.length),
      }),
    );
  }
  const nameOf = (seat: (typeof seats)[number]) => seat.alias.trim() || seat.model.trim();
  seats.forEach((seat, at) => {
    const field = `council_models.${at}`;
    const model = seat.model.trim();
    if (!isModel(model)) say(`${field}.model`, modelRule(model));
    if (seat.alias.trim() && !isName(seat.alias.trim())) say(`${field}.alias`, nameRule());
    if (seat.systemPrompt.length > mostPromptChars) {
      const length = [...seat.systemPrompt].length;
      if (length > mostPromptChars) {
        say(
          `${field}.system_prompt`,
          t("At most {{most}} characters; these are {{number}}.", {
            most: count(mostPromptChars),
            number: count(length),
          }),
        );
      }
    }
    if (seats.slice(0, at).some((earlier) => nameOf(earlier) === nameOf(seat))) {
      say(
        field,
        t("Two members are called “{{name}}”; give each a name of its own.", {
          name: nameOf(seat),
        }),
      );
    }
  });
}

function roles(say: Say, draft: SettingsDraft, most: number) {
  for (const [field, text] of [
    ["chairman_model", draft.chairman],
    ["title_model", draft.titleModel],
    ["utility_model", draft.utilityModel],
  ] as const) {
    if (!isModel(text.trim())) say(field, modelRule(text.trim()));
  }
  const adversary = draft.adversary.trim();
  if (adversary && !isModel(adversary)) say("adversary_model", modelRule(adversary));
  const alias = draft.chairmanAlias.trim();
  if (alias && !isName(alias)) say("chairman_alias", nameRule());
  draft.fallbacks.forEach(({ model }, at) => {
    const text = model.trim();
    // One that was just added is empty because nothing is typed yet.
    if (text && !isModel(text)) say(`chairman_fallbacks.${at}`, modelRule(text));
  });
  if (draft.fallbacks.length > most)
    say("chairman_fallbacks", t("At most {{most}} models.", { most: count(most) }));
}

function lists(say: Say, draft: SettingsDraft, most: number) {
  const check = (field: string, models: readonly string[], least: number) => {
    if (models.length > 0 && (models.length < least || models.length > most)) {
      say(
        field,
        t("{{least}} to {{most}} models, or none; here there are {{number}}.", {
          least: count(least),
          most: count(most),
          number: count(models.length),
        }),
      );
    }
  };
  check("multi_chairman_models", draft.multiChairmen, leastMembers);
  for (const [category, models] of Object.entries(draft.pools)) {
    check(`routing_pools.${category}`, models, 1);
  }
  check("tier1_models", draft.tier1, leastMembers);
  check("tier2_models", draft.tier2, 1);
  if (draft.tier1.length + draft.tier2.length > most) {
    say(
      "tier2_models",
      t("Both tiers together have at most {{most}} models.", { most: count(most) }),
    );
  }
  const twice = draft.tier2.find((model) => draft.tier1.includes(model));
  if (twice) say("tier2_models", t("{{model}} is in the first tier already.", { model: twice }));
}

function thresholds(say: Say, draft: SettingsDraft) {
  const check = (field: string, text: string, low: number, high: number, whole = false) => {
    const value = readNumber(text);
    if (value === "unclear") {
      say(field, unclearNumber());
    } else if (value === null || (whole && !Number.isInteger(value))) {
      say(field, whole ? t("A whole number is needed.") : t("A number is needed."));
    } else if (value < low || value > high) {
      say(field, t("From {{low}} to {{high}}.", { low: count(low), high: count(high) }));
    }
  };
  check("escalation_confidence_threshold", draft.escalateBelowAverage, 1, 10);
  check("escalation_min_confidence_threshold", draft.escalateBelowAny, 1, 10, true);
  check("escalation_agreement_threshold", draft.escalateBelowAgreement, 0, 1);
}

export function problemsOf(draft: SettingsDraft, most: number): FieldError[] {
  const found: FieldError[] = [];
  const say: Say = (field, message) => found.push({ field, message });
  members(say, draft, most);
  roles(say, draft, most);
  lists(say, draft, most);
  thresholds(say, draft);
  return found;
}

/** The setting a field belongs to: `council_models.0.alias` is part of `council_models`. */
const settingOf = (field: string) => field.split(".", 1)[0] ?? field;

/**
 * What is wrong with a draft now: what is seen here, and what the server said of what is still as it
 * was sent. Each field once.
 */
export function allProblems(
  seen: readonly FieldError[],
  refused: readonly FieldError[],
  sent: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): FieldError[] {
  const isAsSent = (name: string) => JSON.stringify(sent[name]) === JSON.stringify(now[name]);
  const known = new Set(seen.map(({ field }) => field));
  return [
    ...seen,
    ...refused.filter(({ field }) => !known.has(field) && isAsSent(settingOf(field))),
  ];
}
