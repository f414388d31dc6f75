import "../../styles/run";
import "../../styles/checks.css";
import { useId, useRef, useState } from "react";
import type { CheckReport } from "../../api/checks";
import { t } from "../../i18n";
import { focusFirstWrong } from "../../ui/attempt";
import { duration, money, numberFormat } from "../../ui/format";
import { Icon } from "../../ui/icon";
import { Notice } from "../../ui/notice";
import { type Bounds, numberText, readWithin } from "../../ui/numbers";
import { Said, say } from "../../ui/said";
import { exactTimeOf } from "../admin/times";
import { Panel, Waiting } from "../dashboard/panel";
import { Errors } from "../settings/fields";
import { ModelListField } from "../settings/model-list";
import { verdictSentences } from "./probes";
import { check, useCheck } from "./store";
import { ModelChecks, ProviderChecks, ServerChecks } from "./tables";

/** The server's default, in US dollars. */
const usualMax = 0.01;
/** What it takes. */
const limitBounds: Bounds = { least: 0, most: 100, money: true };

const limitText = numberFormat({
  style: "currency",
  currency: "USD",
  currencyDisplay: "narrowSymbol",
  maximumFractionDigits: 4,
});

/** How many more the server takes. */
const mostModels = 50;

function Verdict({ report }: { report: CheckReport }) {
  const { cost } = report;
  const spent = money(cost.spent_usd);
  const facts = [
    t("Checked {{time}}", { time: exactTimeOf(report.at) }),
    t("took {{time}}", { time: duration(report.took_ms) }),
    t("cost {{sum}} of at most {{most}}", {
      sum: cost.unpriced_calls > 0 ? t("at least {{sum}}", { sum: spent }) : spent,
      most: limitText(cost.max_usd),
    }),
    cost.unpriced_calls > 0 &&
      t("{{count, number}} calls of unknown price", { count: cost.unpriced_calls }),
  ].filter((fact) => typeof fact === "string");
  return (
    <div className={report.council ? "verdict verdict-ready" : "verdict verdict-not"}>
      <Icon name={report.council ? "check" : "alert"} />
      <p>
        <strong>
          <Said said={say(verdictSentences, report.fact)} text={report.message} />
        </strong>
      </p>
      <ul className="facts">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </div>
  );
}

function Report({ report }: { report: CheckReport }) {
  return (
    <>
      <Panel title={t("The server")}>
        <ServerChecks checks={report.checks} />
      </Panel>
      <Panel title={t("Providers")}>
        <ProviderChecks providers={report.providers} />
      </Panel>
      <Panel
        title={t("Models")}
        lead={t("Each was asked for a word or two, in every way in which the council may ask it.")}
      >
        <ModelChecks models={report.models} />
      </Panel>
    </>
  );
}

/** Asks every provider and every model whether it works. */
export function ProvidersPage() {
  const { running, report, problem } = useCheck();
  const [most, setMost] = useState("");
  const [models, setModels] = useState<readonly string[]>([]);
  const id = useId();
  const limit = most.trim() === "" ? null : readWithin(most, limitBounds);
  const wrong = typeof limit === "string" ? limit : null;
  const form = useRef<HTMLFormElement>(null);
  const start = () => {
    if (wrong !== null) return focusFirstWrong(form.current);
    check({
      ...(typeof limit === "number" && { max_cost_usd: limit }),
      ...(models.length > 0 && { models: [...models] }),
    });
  };
  return (
    <>
      <Panel
        title={t("Do the providers work?")}
        lead={t(
          "The server looks at its configuration, its database and how people sign in, reads every provider’s list, and asks every model of the council for a word. Nothing of anybody’s conversations is sent.",
        )}
      >
        <form
          ref={form}
          className="check-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            start();
          }}
        >
          <div className="field">
            <label htmlFor={id}>{t("May cost at most (US$)")}</label>
            <input
              id={id}
              className="input"
              type="text"
              inputMode="decimal"
              autoComplete="off"
              placeholder={numberText(usualMax)}
              value={most}
              aria-invalid={wrong !== null}
              aria-describedby={`${id}-hint ${id}-error`}
              onChange={(event) => setMost(event.target.value)}
            />
            <p id={`${id}-hint`} className="field-hint">
              {t(
                "Left empty, it is {{usual}}, and models of unknown price are asked as well. What does not fit is named and not asked.",
                { usual: limitText(usualMax) },
              )}
            </p>
            <Errors id={`${id}-error`} messages={wrong === null ? [] : [wrong]} />
          </div>
          <ModelListField
            field="models"
            title={t("Other models")}
            hint={t("Those of the council are asked anyway.")}
            models={models}
            most={mostModels}
            none={t("none")}
            suggested={[]}
            errors={problem?.fields ?? []}
            onChange={setModels}
          />
          <button type="submit" className="button button-main" aria-disabled={running}>
            <Icon name="redo" />
            {running ? t("Checking…") : report ? t("Check again") : t("Check now")}
          </button>
        </form>
        <div role="status">
          {running && (
            <p className="quiet">
              {t("Providers and models are being asked. This takes up to two minutes.")}
            </p>
          )}
        </div>
        {running && <Waiting lines={3} />}
        {problem && (
          <Notice tone="bad" urgent>
            {t("Not checked: {{reason}}", { reason: problem.message })}
          </Notice>
        )}
        {report && !running && <Verdict report={report} />}
      </Panel>
      {report && !running && <Report report={report} />}
    </>
  );
}
