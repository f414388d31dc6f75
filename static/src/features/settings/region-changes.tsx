import "../../styles/missing.css";
import { useState } from "react";
import type { RegionReport } from "../../api/regions";
import type { Config, ConfigChange } from "../../api/types";
import { t } from "../../i18n";
import { T } from "../../i18n/t";
import { passFocusOn } from "../../ui/focus";
import { count } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { Nearest } from "../models/nearest";
import { names, replacing } from "../models/replace";
import { draftOf } from "./form";
import { parts } from "./parts";

/** A place of the settings in words; one that is not known here is read as it is written. */
function placeText(place: string, config: Config): string {
  const [field = "", ...rest] = place.split(".");
  const number = count(Number(rest.at(-1) ?? 0) + 1);
  switch (field) {
    case "council_models":
      return t("Member {{number}}", { number });
    case "chairman_model":
      return t("Chairman");
    case "chairman_fallbacks":
      return t("Fallback {{number}}", { number });
    case "title_model":
      return t("Title model");
    case "utility_model":
      return t("Utility model");
  }
  const part = parts.find(({ part }) => field in part.changeOf(part.draftOf(config)));
  return part ? t(part.title) : place;
}

interface Props {
  config: Config;
  nameOf: (region: string) => string;
  busy: boolean;
  onReplace: (change: ConfigChange) => void;
}

/** What the latest change of the region did; it stays until the page is left. */
export function RegionChanges({ config, nameOf, busy, onReplace }: Props) {
  const told = config.region_report ?? null;
  const [report, setReport] = useState<RegionReport | null>(told);
  // The settings are read again, and then say nothing of how they came about.
  if (told && told !== report) setReport(told);
  if (!report) return <div role="status" />;
  const draft = draftOf(config);
  const missing = report.missing.filter(({ model }) => names(draft, model));
  const region = nameOf(report.region);
  return (
    <>
      <div role="status" className="region-changes">
        {report.moved.length === 0 && report.missing.length === 0 && (
          <p>{t("No model in the settings depends on the region.")}</p>
        )}
        {report.moved.length > 0 && (
          <>
            <p>
              {t("{{count, number}} models now have their ids for {{region}}:", {
                count: report.moved.length,
                region,
              })}
            </p>
            <ul>
              {report.moved.map(({ place, from, to }) => (
                <li key={place}>
                  <T
                    text="{{place}}: {{from}} is now {{to}}"
                    parts={{
                      place: placeText(place, config),
                      from: <code>{from}</code>,
                      to: <code>{to}</code>,
                    }}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      {missing.length > 0 && (
        <Notice tone="warn">
          <ul className="missing-models">
            {missing.map(({ place, model, nearest }) => (
              <li key={place}>
                {t("{{place}}: {{model}} is not offered in {{region}} and stays as it is.", {
                  place: placeText(place, config),
                  model,
                  region,
                })}
                <Nearest
                  model={model}
                  nearest={nearest}
                  busy={busy}
                  onChoose={(near, button) => {
                    const change = replacing(config, model, near);
                    if (!change) return;
                    passFocusOn(button.closest("li"), "button", "#region select");
                    onReplace(change);
                  }}
                />
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
