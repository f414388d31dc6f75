import { type ComponentType, lazy, type ReactNode, Suspense, useContext } from "react";
import type { ErrorKind } from "../../api/types";
import { t } from "../../i18n";
import { Details } from "../../ui/disclosure";
import { sentence } from "../../ui/format";
import { say } from "../../ui/said";
import { ReadOnly } from "../council/read-only";
import { type CallFact, callSentences } from "./facts";
import { errorAdvice, errorTitles } from "./kinds";

interface GoneProps {
  model: string;
  children: ReactNode;
}

/** In the place of what could not be fetched. */
const Usual = ({ children }: GoneProps) => children;

const Gone = lazy<ComponentType<GoneProps>>(() =>
  import("../models/gone").then(
    ({ Gone }) => ({ default: Gone }),
    () => ({ default: Usual }),
  ),
);

/** Where a model was refused, it may be because it is gone; then something better can be said. */
function Advice({ says, model }: { says: string; model: string | undefined }) {
  const usual = <p>{says}</p>;
  const readOnly = useContext(ReadOnly);
  // Of another person's council, whose settings nobody else changes.
  if (!model || readOnly) return usual;
  return (
    <Suspense fallback={usual}>
      <Gone model={model}>{usual}</Gone>
    </Suspense>
  );
}

interface Props {
  kind: ErrorKind | null | undefined;
  /** What this server itself says of it. */
  fact: CallFact | null | undefined;
  /** The model that was asked: one that is no longer on offer is marked. */
  model?: string | undefined;
  /** What the server has noted; null as long as nothing is known. */
  text: string | null | undefined;
  /** The heading where the kind is unknown. */
  otherwise: string;
  /** Left out where something above has said it. */
  titled?: boolean;
  /** It was too long; what is there is not all. */
  cut?: boolean;
  children?: ReactNode;
}

/** What went wrong with a call and what to do about it. What was noted word for word is folded. */
export function CallFailure({
  kind,
  fact,
  model,
  text,
  otherwise,
  titled = true,
  cut = false,
  children,
}: Props) {
  const own = say(callSentences, fact);
  const says = own ?? (kind ? errorAdvice(kind) : null);
  const isTooLong = cut && kind === "bad_response";
  return (
    <div className="failure">
      {titled && (
        <strong>
          {isTooLong
            ? t("The answer is too long and was cut")
            : kind
              ? t(errorTitles[kind])
              : otherwise}
        </strong>
      )}
      {isTooLong ? (
        <p>{t("Ask for a shorter one, or choose another model in the settings.")}</p>
      ) : (
        says && <Advice says={says} model={kind === "refused" ? model : undefined} />
      )}
      {text && own === null && (
        <Details title={t("What the server noted")}>
          {() => (
            <p className="failure-said" lang="en">
              {sentence(text)}
            </p>
          )}
        </Details>
      )}
      {children}
    </div>
  );
}
