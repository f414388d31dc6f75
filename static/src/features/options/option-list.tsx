import { type ReactNode, useId } from "react";
import { Link, useLocation } from "wouter";
import { plural } from "../../ui/format";
import { Icon } from "../../ui/icon";
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
        what: "Members write out thinking, analysis and conclusion; reviewers weigh the reasoning.",
        cost: "No extra calls; longer answers.",
      };
    case "use_dynamic_routing":
      return {
        what: "Only the models for this kind of question answer.",
        cost: "One small extra call, and often fewer members.",
      };
    case "use_escalation": {
      const first = config?.tier1_models.length ?? 2;
      const second = config?.tier2_models.length ?? 2;
      return {
        what: "A quick first tier answers; the second is asked only when the first is unsure.",
        cost:
          `${plural(first, "answer")} and ${plural(first, "review")}; ` +
          `if unsure, ${second} more and all ${first + second} review again.`,
      };
    }
    case "use_weighted_consensus":
      return {
        what: "Votes of models that did well before count more.",
        cost: "No extra calls.",
      };
    case "use_early_consensus":
      return {
        what: "When nearly all rank one answer first, it is the final answer.",
        cost: "Saves the chairman’s call, and whatever would follow it.",
      };
    case "use_multi_chairman": {
      const drafts = config?.multi_chairman_models.length || 2;
      return {
        what: "Several models draft the final answer; the chairman picks the best and finishes it.",
        cost: `${plural(drafts, "extra call")}.`,
      };
    }
    case "use_refinement": {
      const rounds = choices.refinement_max_iterations;
      return {
        what: "Members criticise the draft, and the chairman revises it.",
        cost: `Up to ${plural(rounds * (members + 1), "extra call")}; stops when little is left to say.`,
      };
    }
    case "use_adversary":
      return {
        what: "One model attacks the answer; serious findings make the chairman revise it.",
        cost: "One extra call, two if the answer is revised.",
      };
  }
}

function SettingsLink({ to, what }: { to: string; what: string }) {
  const [path] = useLocation();
  const text = (
    <>
      Set them<span className="visually-hidden"> for {what}</span>
    </>
  );
  return path === "/settings" ? (
    <a href={`#${to}`} className="option-link">
      {text}
    </a>
  ) : (
    <Link href={`/settings#${to}`} className="option-link">
      {text}
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
        {names[name]}
      </button>
      <div className="option-about">
        <p id={`${id}-about`}>
          {what} <span className="option-cost">{cost}</span>
          {inTheWay && <span className="option-obstacle"> {inTheWay.reason}</span>}
        </p>
        {inTheWay?.settings && <SettingsLink to={inTheWay.settings} what={names[name]} />}
        {on && children}
      </div>
    </li>
  );
}

/** One of a few whole numbers. */
function Steps({
  legend,
  values,
  value,
  text,
  onChange,
}: {
  legend: string;
  values: readonly number[];
  value: number;
  text: (value: number) => string;
  onChange: (value: number) => void;
}) {
  const id = useId();
  return (
    <fieldset className="steps">
      <legend>{legend}</legend>
      {values.map((one) => (
        <label key={one} className="step">
          <input
            type="radio"
            className="visually-hidden"
            name={id}
            checked={one === value}
            onChange={() => onChange(one)}
          />
          <span>{text(one)}</span>
        </label>
      ))}
    </fieldset>
  );
}

const upTo = (n: number) => Array.from({ length: n }, (_, at) => at + 1);
const graces = [0, 5_000, 15_000, 30_000, 60_000];
const details = ["Nothing", "Stages", "And models", "Everything"];

function Quorum({ scene: { choices, config }, onChange }: OptionListProps) {
  const members = config?.council_models.length ?? 0;
  const id = useId();
  if (members < 2) return null;
  const quorum = choices.quorum !== null && choices.quorum < members ? choices.quorum : null;
  return (
    <li className="option">
      <label htmlFor={id} className="option-name">
        Waiting
      </label>
      <div className="option-about">
        <p>
          The reviews may begin before the slowest have answered.{" "}
          <span className="option-cost">No extra calls; late answers are not reviewed.</span>
        </p>
        <div className="option-fields">
          <select
            id={id}
            className="input"
            value={quorum ?? ""}
            onChange={(event) => onChange({ quorum: Number(event.target.value) || null })}
          >
            <option value="">All members</option>
            {upTo(members - 1)
              .filter((n) => n > 1)
              .map((n) => (
                <option key={n} value={n}>
                  {n} of {members} members
                </option>
              ))}
          </select>
          {quorum !== null && (
            <select
              className="input"
              aria-label="And for the others"
              value={choices.straggler_grace_ms}
              onChange={(event) => onChange({ straggler_grace_ms: Number(event.target.value) })}
            >
              {graces.map((ms) => (
                <option key={ms} value={ms}>
                  {ms === 0 ? "then at once" : `then ${ms / 1000} s for the others`}
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
  ["Answers", ["use_cot", "use_dynamic_routing", "use_escalation"]],
  ["Reviews", ["use_weighted_consensus", "use_early_consensus"]],
  ["Final answer", ["use_multi_chairman", "use_refinement", "use_adversary"]],
];

/** Every option of a run: what it does, what it costs, and why it cannot be used. */
export default function OptionList(props: OptionListProps) {
  const { onChange } = props;
  const { choices } = props.scene;
  return (
    <div className="option-groups">
      {groups.map(([title, options]) => (
        <section key={title}>
          <h3>{title}</h3>
          <ul>
            {options.map((name) => (
              <Option key={name} name={name} {...props}>
                {name === "use_refinement" && (
                  <Steps
                    legend="At most so many rounds"
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
        <h3>More</h3>
        <ul>
          <Quorum {...props} />
          <li className="option">
            <span className="option-name">Process detail</span>
            <div className="option-about">
              <p>
                A log of the run as it goes. <span className="option-cost">No extra calls.</span>
              </p>
              <Steps
                legend="What the log shows"
                values={[0, 1, 2, 3]}
                value={choices.verbosity}
                text={(level) => details[level] ?? ""}
                onChange={(verbosity) => onChange({ verbosity })}
              />
            </div>
          </li>
        </ul>
      </section>
    </div>
  );
}
