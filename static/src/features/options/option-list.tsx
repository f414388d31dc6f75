import { useId } from "react";
import { Link, useLocation } from "wouter";
import type { Ask } from "../../api/types";
import { msg, t } from "../../i18n";
import { count } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Steps } from "../../ui/steps";
import type { About, Choices, FormatField } from "../feature";
import {
  formatIn,
  formatObstacle,
  formatsOf,
  mayBeCouncil,
  type NamedOption,
  type NamedWay,
  type NamedWritten,
  obstacle,
  options,
  reviewersOf,
  type Scene,
  ways,
  writtenOptions,
} from "./choices";

export interface OptionListProps {
  scene: Pick<Scene, "choices" | "config">;
  /** The question that is typed, where one is. */
  question?: string;
  /** The question as it would be asked, where that can be done on a schedule. */
  scheduled?: Ask | null;
  onChange: (change: Partial<Choices>) => void;
}

/** What the features say of their options: found by the names of their files, and loaded with this one. */
const found = import.meta.glob<About>("../*/about.tsx", { eager: true, import: "about" });

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

function OptionItem({
  option,
  scene,
  question,
  onChange,
}: OptionListProps & { option: NamedOption }) {
  const { field, title } = option;
  const id = useId();
  const inTheWay = obstacle(field, scene);
  const on = scene.choices[field] === true && !inTheWay;
  const about = found[`../${option.name}/about.tsx`];
  const told = about?.tell(scene.choices, scene.config);
  return (
    <li className="option">
      {/* Not `disabled`: keys must reach it, to hear why it cannot be used. */}
      <button
        type="button"
        className="chip option-chip"
        aria-pressed={on}
        aria-disabled={inTheWay !== null}
        aria-describedby={`${id}-about`}
        onClick={() => !inTheWay && onChange({ [field]: !scene.choices[field] })}
      >
        {on && <Icon name="check" />}
        {t(title)}
      </button>
      <div className="option-about">
        <p id={`${id}-about`}>
          {told?.what} <span className="option-cost">{told?.cost}</span>
          {inTheWay && <span className="option-obstacle"> {inTheWay.reason}</span>}
        </p>
        {inTheWay?.settings && <SettingsLink to={inTheWay.settings} what={t(title)} />}
        {on && about?.More && (
          <about.More choices={scene.choices} question={question} onChange={onChange} />
        )}
      </div>
    </li>
  );
}

/** Which format a question is asked in, by what each is good for. */
function Formats({ scene: { choices, config }, onChange }: OptionListProps) {
  const name = useId();
  const chosen = formatIn(choices);
  return (
    <fieldset className="formats">
      <legend>{t("Format")}</legend>
      {formatsOf(config).map((format) => (
        <label key={format.key} className="format">
          <input
            type="radio"
            name={name}
            checked={format === chosen}
            onChange={() => onChange(format.ask)}
          />
          <span>
            <span className="format-name">{t(format.title)}</span> {t(format.good)}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** What more can be chosen of the format. */
function FormatItem({ of, scene, onChange }: OptionListProps & { of: FormatField }) {
  const { field, title, what, cost } = of;
  const id = useId();
  const value = scene.choices[field] ?? of.byDefault;
  const set = (next: boolean | number | string) => onChange({ [field]: next } as Partial<Choices>);
  const about = (
    <p id={id}>
      {t(what)} {cost && <span className="option-cost">{t(cost)}</span>}
    </p>
  );
  if (of.kind === "flag") {
    return (
      <li className="option">
        <button
          type="button"
          className="chip option-chip"
          aria-pressed={value === true}
          aria-describedby={id}
          onClick={() => set(value !== true)}
        >
          {value === true && <Icon name="check" />}
          {t(title)}
        </button>
        <div className="option-about">{about}</div>
      </li>
    );
  }
  const amounts = of.kind === "amount" ? upTo(of.most).filter((n) => n >= of.least) : [];
  return (
    <li className="option">
      <span className="option-name">{t(title)}</span>
      <div className="option-about">
        {about}
        {of.kind === "amount" ? (
          <Steps
            legend={t(title)}
            isNamed
            values={amounts}
            value={Number(value)}
            text={String}
            onChange={set}
          />
        ) : (
          <Steps
            legend={t(title)}
            isNamed
            values={of.values.map((one) => one.value)}
            value={String(value)}
            text={(one) => t(of.values.find(({ value }) => value === one)?.text ?? one)}
            onChange={set}
          />
        )}
      </div>
    </li>
  );
}

function WayItem({ way, scene, onChange }: OptionListProps & { way: NamedWay }) {
  const { field, title, values, byDefault } = way;
  const chosen = scene.choices[field] ?? byDefault;
  const told = found[`../${way.name}/about.tsx`]?.tell(scene.choices, scene.config);
  const inTheWay = formatObstacle(way, scene.choices);
  if (inTheWay) {
    return (
      <li className="option">
        <span className="option-name">{t(title)}</span>
        <div className="option-about">
          <p className="option-obstacle">{inTheWay.reason}</p>
        </div>
      </li>
    );
  }
  return (
    <li className="option">
      <span className="option-name">{t(title)}</span>
      <div className="option-about">
        <p>
          {told?.what} <span className="option-cost">{told?.cost}</span>
        </p>
        <Steps
          legend={t(title)}
          isNamed
          values={values.map(({ value }) => value)}
          value={chosen}
          text={(value) => t(values.find((one) => one.value === value)?.text ?? value)}
          onChange={(value) => onChange({ [field]: value })}
        />
      </div>
    </li>
  );
}

/** What is written for the question, or chosen for it among what was written before. */
function WrittenItem({
  written,
  scene,
  question,
  onChange,
}: OptionListProps & { written: NamedWritten }) {
  const about = found[`../${written.name}/about.tsx`];
  const told = about?.tell(scene.choices, scene.config);
  const inTheWay = formatObstacle(written, scene.choices);
  return (
    <li className="option">
      <span className="option-name">{t(written.title)}</span>
      <div className="option-about">
        {inTheWay ? (
          <p className="option-obstacle">{inTheWay.reason}</p>
        ) : (
          <>
            <p>
              {told?.what} <span className="option-cost">{told?.cost}</span>
            </p>
            {about?.More && (
              <about.More choices={scene.choices} question={question} onChange={onChange} />
            )}
          </>
        )}
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
  if (members < 2 || !mayBeCouncil(choices)) return null;
  const quorum = choices.quorum !== null && choices.quorum < members ? choices.quorum : null;
  const { straggler_grace_ms: grace } = choices;
  // Another one may have been set by a program.
  const offered = graces.includes(grace) ? graces : [...graces, grace].toSorted((a, b) => a - b);
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
              // One alone may have been set by a program.
              .filter((n) => n > 1 || n === quorum)
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
              value={grace}
              onChange={(event) => onChange({ straggler_grace_ms: Number(event.target.value) })}
            >
              {offered.map((ms) => (
                <option key={ms} value={ms}>
                  {ms === 0
                    ? t("then at once")
                    : t("then {{seconds}} s for the others", { seconds: count(ms / 1000) })}
                </option>
              ))}
            </select>
          )}
        </div>
      </div>
    </li>
  );
}

function Reviewers({ scene: { choices, config }, onChange }: OptionListProps) {
  const reviewers = reviewersOf(config) ?? 0;
  const id = useId();
  if (reviewers < 2) return null;
  const { reviews_per_answer: chosen } = choices;
  return (
    <li className="option">
      <label htmlFor={id} className="option-name">
        {t("Reviewers")}
      </label>
      <div className="option-about">
        <p>
          {t("Some of the reviewers may be enough; they are drawn for each question.")}{" "}
          <span className="option-cost">{t("Each one fewer saves a call.")}</span>
        </p>
        <div className="option-fields">
          <select
            id={id}
            className="input"
            value={chosen !== null && chosen < reviewers ? chosen : ""}
            onChange={(event) =>
              onChange({ reviews_per_answer: Number(event.target.value) || null })
            }
          >
            <option value="">{t("All reviewers")}</option>
            {upTo(reviewers - 1).map((n) => (
              <option key={n} value={n}>
                {t("{{some}} of {{all}} reviewers", { some: n, all: reviewers })}
              </option>
            ))}
          </select>
        </div>
      </div>
    </li>
  );
}

function Schedule({ question }: { question: Ask }) {
  const id = useId();
  return (
    <li className="option">
      <Link
        href="/schedules"
        state={{ question }}
        className="chip option-chip"
        aria-describedby={id}
      >
        <Icon name="clock" />
        {t("On a schedule…")}
      </Link>
      <div className="option-about">
        <p id={id}>{t("The question is asked again and again, at times that you choose.")}</p>
      </div>
    </li>
  );
}

const groups = [
  ["answers", msg("Answers")],
  ["reviews", msg("Reviews")],
  ["final", msg("Final answer")],
] as const;

/** Every option of a run: what it does, what it costs, and why it cannot be used. */
export default function OptionList(props: OptionListProps) {
  const { onChange, scheduled } = props;
  const { choices } = props.scene;
  return (
    <div className="option-groups">
      <section>
        <Formats {...props} />
        <ul>
          {formatIn(choices).fields?.map((field) => (
            <FormatItem key={field.field} of={field} {...props} />
          ))}
        </ul>
      </section>
      {groups.map(([group, title]) => (
        <section key={group}>
          <h3>{t(title)}</h3>
          <ul>
            {ways
              .filter((way) => way.group === group)
              .map((way) => (
                <WayItem key={way.field} way={way} {...props} />
              ))}
            {options
              .filter((option) => option.group === group)
              .map((option) => (
                <OptionItem key={option.field} option={option} {...props} />
              ))}
            {writtenOptions
              .filter((written) => written.group === group)
              .map((written) => (
                <WrittenItem key={written.field} written={written} {...props} />
              ))}
          </ul>
        </section>
      ))}
      <section>
        <h3>{t("More")}</h3>
        <ul>
          <Quorum {...props} />
          <Reviewers {...props} />
          {scheduled && <Schedule question={scheduled} />}
          <li className="option">
            <span className="option-name">{t("Process detail")}</span>
            <div className="option-about">
              <p>
                {t("A log of what happens during the run.")}{" "}
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
