import "../../styles/step-by-step.css";
import type { Answer } from "../../api/types";
import { t } from "../../i18n";
import { Markdown } from "../../markdown/markdown";
import { Details } from "../../ui/disclosure";

/** An answer in its parts: the conclusion, and what led to it folded above. */
export function Steps({ steps }: { steps: NonNullable<Answer["cot"]> }) {
  return (
    <>
      {steps.thinking && (
        <Details title={t("Thinking")}>{() => <Markdown text={steps.thinking} />}</Details>
      )}
      {steps.analysis && (
        <Details title={t("Analysis")}>{() => <Markdown text={steps.analysis} />}</Details>
      )}
      <p className="cot-label">{t("Conclusion")}</p>
      <Markdown text={steps.conclusion} />
    </>
  );
}
