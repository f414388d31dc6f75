/**
 * What the server would refuse of a draft, said while it is typed: the rules of its
 * `council/settings.rs` and `council/option_settings.rs`, under its names of the fields. Whatever is
 * missing here it still says itself when the draft is saved.
 */
import type { FieldError } from "../../api/problem";
import { t } from "../../i18n";
import { count } from "../../ui/format";
import { textProblem } from "../../ui/wrong";
import type { Say } from "../feature";
import type { SettingsDraft } from "./form";
import { parts } from "./parts";
import { isModel, isName, leastMembers, modelRule, nameRule } from "./rules";

const mostPromptChars = 20_000;

/** A system prompt, which may also be none. */
function checkPrompt(say: Say, field: string, prompt: string) {
  const wrong = prompt.trim() === "" ? null : textProblem(prompt, mostPromptChars);
  if (wrong !== null) say(field, wrong);
}

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
    checkPrompt(say, `${field}.system_prompt`, seat.systemPrompt);
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

export function problemsOf(draft: SettingsDraft, most: number): FieldError[] {
  const found: FieldError[] = [];
  const say: Say = (field, message) => found.push({ field, message });
  members(say, draft, most);
  roles(say, draft, most);
  checkPrompt(say, "default_options.system_prompt", draft.promptByDefault);
  for (const { name, part } of parts) part.problems?.(draft.parts[name] ?? {}, most, say);
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
