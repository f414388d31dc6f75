import { type ReactNode, useId } from "react";
import { Link, useLocation } from "wouter";
import { msg, t } from "../../i18n";
import { Icon } from "../../ui/icon";
import { Steps } from "../../ui/steps";
import { type Choices, mostRounds, names, obstacle, type Scene, type Toggle } from "./choices";

export interface OptionListProps {
  scene: Pick<Scene, "choices" | "config">;
  onChange: (change: Partial<Choices>) => void;
}

interface Told {
  what: string;
  cost: string;
}

/** What each option does, and what it roughly costs with this council, in words. */
function tell(name: Toggle, { choices, config }: OptionListProps["scene"]): Told {
  const members = config?.council_models.length ?? 4;
  switch (name) {
    case "use_cot":
      return {
        what: t(
          "Members write out thinking, analysis and conclusion; reviewers weigh the reasoning.",
        ),
        cost: t("No extra calls; answers are longer, and take longer."),
      };
    case "use_dynamic_routing":
      return {
        what: t("Only the models for this kind of question answer."),
        cost: t("One small extra call first, a second or two; often fewer members."),
      };
    case "use_escalation": {
      const first = config?.tier1_models.length ?? 2;
      const second = config?.tier2_models.length ?? 2;
      return {
        what: t("A quick first tier answers; the second is asked only when the first is unsure."),
        cost: t(
          "{{count, number}} answers and {{count, number}} reviews; if unsure, {{second}} more, all {{all}} review again, and it takes twice as long.",
          { count: first, second, all: first + second },
        ),
      };
    }
    case "use_weighted_consensus":
      return {
        what: t("Votes of models that did well before count more."),
        cost: t("No extra calls, no time."),
      };
    case "use_early_consensus":
      return {
        what: t("When nearly all rank one answer first, it is the final answer."),
        cost: t("Saves the chairman’s call, its time, and whatever would follow it."),
      };
    case "use_multi_chairman": {
      const drafts = config?.multi_chairman_models.length || 2;
      return {
        what: t(
          "Several models draft the final answer; the chairman picks the best and finishes it.",
        ),
        cost: t("{{count, number}} extra calls at once; about one answer’s time more.", {
          count: drafts,
        }),
      };
    }
    case "use_refinement": {
      const rounds = choices.refinement_max_iterations;
      return {
        what: t("Members criticise the draft, and the chairman revises it."),
        cost: t(
          "Up to {{count, number}} extra calls; two answers’ time a round. Stops when little is left to say.",
          { count: rounds * (members + 1) },
        ),
      };
    }
    case "use_adversary":
      return {
        what: t("One model attacks the answer; serious findings make the chairman revise it."),
        cost: t("One extra call, two if the answer is revised; each one answer’s time."),
      };
  }
}

function SettingsLink({ to, what }: { to: string; what: string }) {
  const [path] = useLocation();
  const label = t("Set them for {{option}}", { option: what });
  return path === "/settings" ? (
    <a href={`#${to}`} className="option-link" aria-label={label}>
      {t("Set them")}
    </a>
  ) : (
    <Link href={`/settings#${to}`} className="option-link" aria-label={label}>
      {t("Set them")}
    </Link>
  );
}

function Option({
  name,
  scene,
  onChange,
  children,
}: OptionListProps & { name: Toggle; children?: ReactNode }) {
  const id = useId();
  const inTheWay = obstacle(name, scene);
  const on = scene.choices[name] && !inTheWay;
  const { what, cost } = tell(name, scene);
  return (
    <li className="option">
      {/* Not `disabled`: keys must reach it, to hear why it cannot be used. */}
      <button
        type="button"
        className="chip option-chip"
        aria-pressed={on}
        aria-disabled={inTheWay !== null}
        aria-describedby={`${id}-about`}
        onClick={() => !inTheWay && onChange({ [name]: !scene.choices[name] })}
      >
        {on && <Icon name="check" />}
        {t(names[name])}
      </button>
      <div className="option-about">
        <p id={`${id}-about`}>
          {what} <span className="option-cost">{cost}</span>
          {inTheWay && <span className="option-obstacle"> {inTheWay.reason}</span>}
        </p>
        {inTheWay?.settings && <SettingsLink to={inTheWay.settings} what={t(names[name])} />}
        {on && children}
      </div>
    </li>
  );
}

const upTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1);
const graces = [0, 5_000, 15_000, 30_000, 60_000];
const details = [msg("Nothing"), msg("Stages"), msg("And models"), msg("Everything")];

function Quorum({ scene: { choices, config }, onChange }: OptionListProps) {
  const members = config?.council_models.length ?? 0;
  const id = useId();
  if (members < 2) return null;
  const quorum = choices.quorum !== null && choices.quorum < members ? choices.quorum : null;
  return (
    <li className="option">
      <label htmlFor={id} className="option-name">
        {t("Waiting")}
      </label>
      <div className="option-about">
        <p>
          {t("The reviews may begin before the slowest have answered.")}{" "}
          <span className="option-cost">{t("No extra calls; late answers are not reviewed.")}</span>
        </p>
        <div className="option-fields">
          <select
            id={id}
            className="input"
            value={quorum ?? ""}
            onChange={(event) => onChange({ quorum: Number(event.target.value) || null })}
          >
            <option value="">{t("All members")}</option>
            {upTo(members - 1)
              .filter((n) => n > 1)
              .map((n) => (
                <option key={n} value={n}>
                  {t("{{some}} of {{all}} members", { some: n, all: members })}
                </option>
              ))}
          </select>
          {quorum !== null && (
            <select
              className="input"
              aria-label={t("And for the others")}
              value={choices.straggler_grace_ms}
              onChange={(event) => onChange({ straggler_grace_ms: Number(event.target.value) })}
            >
              {graces.map((ms) => (
                <option key={ms} value={ms}>
                  {ms === 0
                    ? t("then at once")
                    : t("then {{seconds}} s for the others", { seconds: ms / 1000 })}
                </option>
              ))}
            </select>
          )}
        </div>
      </div>
    </li>
  );
}

const groups: [string, Toggle[]][] = [
  [msg("Answers"), ["use_cot", "use_dynamic_routing", "use_escalation"]],
  [msg("Reviews"), ["use_weighted_consensus", "use_early_consensus"]],
  [msg("Final answer"), ["use_multi_chairman", "use_refinement", "use_adversary"]],
];

/** Every option of a run: what it does, what it costs, and why it cannot be used. */
export default function OptionList(props: OptionListProps) {
  const { onChange } = props;
  const { choices } = props.scene;
  return (
    <div className="option-groups">
      {groups.map(([title, options]) => (
        <section key={title}>
          <h3>{t(title)}</h3>
          <ul>
            {options.map((name) => (
              <Option key={name} name={name} {...props}>
                {name === "use_refinement" && (
                  <Steps
                    legend={t("At most so many rounds")}
                    values={upTo(mostRounds)}
                    value={choices.refinement_max_iterations}
                    text={String}
                    onChange={(rounds) => onChange({ refinement_max_iterations: rounds })}
                  />
                )}
              </Option>
            ))}
          </ul>
        </section>
      ))}
      <section>
        <h3>{t("More")}</h3>
        <ul>
          <Quorum {...props} />
          <li className="option">
            <span className="option-name">{t("Process detail")}</span>
            <div className="option-about">
              <p>
                {t("A log of the run as it goes.")}{" "}
                <span className="option-cost">{t("No extra calls.")}</span>
              </p>
              <Steps
                legend={t("What the log shows")}
                values={[0, 1, 2, 3]}
                value={choices.verbosity}
                text={(level) => t(String(details[level]))}
                onChange={(verbosity) => onChange({ verbosity })}
              />
            </div>
          </li>
        </ul>
      </section>
    </div>
  );
}
