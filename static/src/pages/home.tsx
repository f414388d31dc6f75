import { Suspense, useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation } from "wouter";
import { useConfig } from "../api/queries";
import type { Ask, Config } from "../api/types";
import { begin } from "../features/asking/begin";
import { newDraft, setRefusal, useRefusals } from "../features/asking/refusals";
import { useAsking } from "../features/composer/asked";
import { Composer } from "../features/composer/composer";
import { drafts, useDraft } from "../features/composer/draft";
import { focusComposer } from "../features/composer/focus";
import { Monogram } from "../features/council/monogram";
import { CouncilDialog } from "../features/next-council/chip";
import { nameOf, nextCouncil } from "../features/next-council/next-council";
import { msg, t } from "../i18n";
import { T } from "../i18n/t";
import { shortName } from "../ui/format";
import { Icon } from "../ui/icon";
import { Notice } from "../ui/notice";
import { ReadFailed } from "../ui/read-failed";
import { useTitle } from "../ui/title";
import { toast } from "../ui/toast";

const examples = [
  msg("Should a small team write its next web service in Rust or in Go?"),
  msg("What are the strongest arguments for and against a four-day week?"),
  msg("Explain why the sky is blue, first to a child and then to a physicist."),
];

/** Puts an example into the box. What was typed there comes back on request. */
function take(example: string) {
  const { content } = drafts.read(null);
  drafts.write(null, { content: example });
  focusComposer();
  if (content.trim() === "" || examples.some((one) => t(one) === content)) return;
  toast(t("What you wrote was put away."), {
    action: { label: t("Undo"), run: () => drafts.write(null, { content }) },
  });
}

/** Who answers what is asked here; each opens the choice of others. */
function Members({ config }: { config: Config }) {
  /** The seat that was pressed; none of them at -1. */
  const [open, setOpen] = useState<number | null>(null);
  const { members, chairman } = nextCouncil(useDraft(null), config);
  return (
    <>
      <section className="seats" aria-label={t("Members of the council")}>
        <ul>
          {members.map((member, seat) => {
            const name = nameOf(member);
            return (
              <li key={`${member.model}-${member.alias}`}>
                <button
                  type="button"
                  title={member.model}
                  aria-haspopup="dialog"
                  onClick={() => setOpen(seat)}
                >
                  <Monogram member={name} seat={seat} />
                  {shortName(name)}
                </button>
              </li>
            );
          })}
        </ul>
        <p>
          <T
            text="Chaired by {{name}}"
            parts={{ name: <strong>{shortName(chairman.name)}</strong> }}
          />
        </p>
        <button
          type="button"
          className="seats-change"
          aria-haspopup="dialog"
          onClick={() => setOpen(-1)}
        >
          {t("Change the council")}
        </button>
      </section>
      {open !== null && (
        <Suspense fallback={null}>
          <CouncilDialog
            at={open}
            place={null}
            project={null}
            conversationId={null}
            onClose={() => setOpen(null)}
          />
        </Suspense>
      )}
    </>
  );
}

export function HomePage() {
  useTitle(null);
  const config = useConfig();
  const { scene } = useAsking(null, null);
  const [, go] = useLocation();
  const refusal = useRefusals((state) => state.refusals[newDraft] ?? null);
  useEffect(() => () => setRefusal(newDraft, null), []);

  // "New conversation" on the page of a new conversation: nothing changes but where one types.
  useEffect(() => {
    const again = () => location.pathname === "/" && focusComposer();
    addEventListener("pushState", again);
    return () => removeEventListener("pushState", again);
  }, []);

  const ask = async (body: Ask) => {
    const id = await begin(body);
    if (id === null) return;
    flushSync(() => go(`/c/${id}`));
    focusComposer();
  };

  return (
    <div className="home">
      <div className="home-head">
        <h1>{t("Ask the council")}</h1>
        <p className="lead">
          {t(
            "Your question goes to several models at once; they answer, review each other’s answers without knowing whose they are, and a chairman writes the final answer.",
          )}
        </p>
        {scene.config && <Members config={scene.config} />}
        {config.isError && (
          <ReadFailed text={msg("The council could not be loaded: {{reason}}")} query={config} />
        )}
        {config.data?.features.simulated && (
          <Notice tone="warn">
            <T
              text="<strong>Simulated models.</strong> The server makes up answers of this council. For real ones, whoever runs it sets a provider’s key, such as <code>OPENROUTER_API_KEY</code>."
              parts={{
                strong: (inner) => <strong>{inner}</strong>,
                code: (inner) => <code>{inner}</code>,
              }}
            />
          </Notice>
        )}
      </div>
      <Composer
        conversationId={null}
        running={false}
        stopping={false}
        refusal={refusal}
        onAsk={ask}
        onStop={() => undefined}
      />
      <section className="examples" aria-label={t("Example questions")}>
        <ul>
          {examples.map((question) => (
            <li key={question}>
              <button type="button" onClick={() => take(t(question))}>
                <span>{t(question)}</span>
                <Icon name="chevron" />
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
