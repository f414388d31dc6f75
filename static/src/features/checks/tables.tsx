import type { ReactNode } from "react";
import type { Check, CheckAdvice, ModelCheck, ProviderCheck } from "../../api/checks";
import { msg, t } from "../../i18n";
import { T } from "../../i18n/t";
import { Details } from "../../ui/disclosure";
import { duration, money } from "../../ui/format";
import { Said, say } from "../../ui/said";
import { ScrollBox } from "../../ui/scroll-box";
import { ofMillion } from "../models/figures";
import { findings } from "./findings";
import { adviceSentences, probeSentences, probeTitles, saidBy, seatTitles } from "./probes";
import { StateMark } from "./state-mark";

const areas = {
  configuration: msg("Configuration"),
  database: msg("Database"),
  storage: msg("Files"),
  identity: msg("Sign-in"),
};

export function ServerChecks({ checks }: { checks: readonly Check[] }) {
  return (
    <ScrollBox label={t("The server")}>
      <table className="figures-table checks">
        <caption className="visually-hidden">{t("What was found about the server itself")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Part")}</th>
            <th scope="col" className="text">
              {t("State")}
            </th>
            <th scope="col" className="text">
              {t("Finding")}
            </th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check, at) => (
            <tr key={`${check.area} ${check.message}`}>
              <th scope="row">
                <span className={check.area === checks[at - 1]?.area ? "check-again" : ""}>
                  {t(areas[check.area])}
                </span>
              </th>
              <td className="text">
                <StateMark state={check.state} />
              </td>
              <td className="text check-finding">
                <Said said={say(findings, check.fact)} text={check.message} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

/** What was found of one that was asked, what to do about it, and what it said word for word. */
function Finding({ of }: { of: ProviderCheck | ModelCheck }) {
  const advice: CheckAdvice | null = of.advice ?? null;
  const words = saidBy(of.fact);
  return (
    <>
      <p>
        <Said said={say(probeSentences, of.fact)} text={of.message} />
      </p>
      {of.what_to_do && (
        <p className="check-advice">
          <Said said={say(adviceSentences, advice)} text={of.what_to_do} />
        </p>
      )}
      {words && (
        <Details title={t("What the provider said")}>
          {() => (
            <p className="failure-said" lang="en">
              {words}
            </p>
          )}
        </Details>
      )}
    </>
  );
}

/** A figure, which says what it is where its column has no head. */
function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <td className={children ? "check-figure" : "check-figure check-no-figure"} data-label={label}>
      {children || "–"}
    </td>
  );
}

export function ProviderChecks({ providers }: { providers: readonly ProviderCheck[] }) {
  return (
    <ScrollBox label={t("Providers")}>
      <table className="figures-table checks">
        <caption className="visually-hidden">{t("What was found about each provider")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Provider")}</th>
            <th scope="col" className="text">
              {t("State")}
            </th>
            <th scope="col" className="text">
              {t("Finding")}
            </th>
            <th scope="col">{t("Time")}</th>
          </tr>
        </thead>
        <tbody>
          {providers.map((provider) => (
            <tr key={provider.name}>
              <th scope="row">
                <span className="usage-name">{provider.name}</span>
                {(provider.is_default || provider.simulated) && (
                  <span className="check-note">
                    {provider.simulated ? t("simulated") : t("the default one")}
                  </span>
                )}
              </th>
              <td className="text">
                <StateMark state={provider.state} />
              </td>
              <td className="text check-finding">
                <Finding of={provider} />
              </td>
              <Figure label={t("Time")}>{duration(provider.total_ms)}</Figure>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function Price({ price }: Pick<ModelCheck, "price">) {
  if (!price) return <span className="unknown">{t("unknown")}</span>;
  const note = (inner: string) => <span className="against">{inner}</span>;
  return (
    <>
      <span className="check-price">
        <T
          text="{{price}} <note>in</note>"
          parts={{ price: ofMillion(price.prompt_per_million_usd), note }}
        />
      </span>{" "}
      <span className="check-price">
        <T
          text="{{price}} <note>out</note>"
          parts={{ price: ofMillion(price.completion_per_million_usd), note }}
        />
      </span>
    </>
  );
}

function ModelRow({ check }: { check: ModelCheck }) {
  return (
    <tr>
      <th scope="row">
        <span className="usage-name">{check.model}</span>
        <span className="check-note">
          {check.seats.map((seat) => t(seatTitles[seat])).join(", ")}
        </span>
      </th>
      <td className="text">
        <StateMark state={check.state} />
      </td>
      <td className="text check-finding">
        <Finding of={check} />
        <ul className="check-probes" aria-label={t("Ways in which it was asked")}>
          {check.probes.map((probe) => (
            <li key={probe.probe} title={say(probeSentences, probe.fact) ?? probe.message}>
              <StateMark state={probe.state} of={t(probeTitles[probe.probe])} />
            </li>
          ))}
        </ul>
      </td>
      <Figure label={t("First token")}>{duration(check.ttft_ms)}</Figure>
      <Figure label={t("Longest reply")}>{duration(check.total_ms)}</Figure>
      <Figure label={t("Price per million")}>
        <Price price={check.price ?? null} />
      </Figure>
      <Figure label={t("Cost")}>
        {(check.cost_usd ?? null) !== null && money(check.cost_usd)}
      </Figure>
    </tr>
  );
}

export function ModelChecks({ models }: { models: readonly ModelCheck[] }) {
  return (
    <ScrollBox label={t("Models")}>
      <table className="figures-table checks">
        <caption className="visually-hidden">{t("What was found about each model")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("Model")}</th>
            <th scope="col" className="text">
              {t("State")}
            </th>
            <th scope="col" className="text">
              {t("Finding")}
            </th>
            <th scope="col">{t("First token")}</th>
            <th scope="col">{t("Longest reply")}</th>
            <th scope="col">{t("Price per million")}</th>
            <th scope="col">{t("Cost")}</th>
          </tr>
        </thead>
        <tbody>
          {models.map((check) => (
            <ModelRow key={check.model} check={check} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}
