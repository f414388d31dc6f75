import { useState } from "react";
import { useLocation } from "wouter";
import { asProblem, type Problem } from "../api/problem";
import { useConfig } from "../api/queries";
import type { Ask, Config } from "../api/types";
import { Composer } from "../features/composer/composer";
import { drafts } from "../features/composer/draft";
import { Monogram } from "../features/council/monogram";
import { createConversation, start } from "../run/session";
import { shortName } from "../ui/format";
import { Icon } from "../ui/icon";
import { Notice } from "../ui/notice";
import { useTitle } from "../ui/title";

const examples = [
  "Should a small team write its next web service in Rust or in Go?",
  "What are the strongest arguments for and against a four-day week?",
  "Explain why the sky is blue, first to a child and then to a physicist.",
];

function Members({ config }: { config: Config }) {
  return (
    <section className="seats" aria-label="Members of the council">
      <ul>
        {config.council_models.map((member, seat) => {
          const name = shortName(member.alias ?? member.model);
          return (
            <li key={`${member.model}-${member.alias}`} title={member.model}>
              <Monogram member={name} seat={seat} />
              {name}
            </li>
          );
        })}
      </ul>
      <p>
        Chaired by <strong>{shortName(config.chairman_alias ?? config.chairman_model)}</strong>
      </p>
    </section>
  );
}

export function HomePage() {
  useTitle(null);
  const config = useConfig();
  const [, go] = useLocation();
  const [refusal, setRefusal] = useState<Problem | null>(null);

  const ask = async (body: Ask) => {
    setRefusal(null);
    try {
      const conversation = await createConversation();
      const { choices, preset, systemPrompt } = drafts.read(null);
      drafts.write(conversation.id, { choices, preset, systemPrompt });
      drafts.clear(null);
      start(conversation.id, body);
      go(`/c/${conversation.id}`);
    } catch (error) {
      setRefusal(asProblem(error));
    }
  };

  return (
    <div className="home">
      <div className="home-head">
        <h1>Ask the council</h1>
        <p className="lead">
          Your question goes to several models at once; they answer, review each other’s answers
          without knowing whose they are, and a chairman writes the final answer.
        </p>
        {config.data && <Members config={config.data} />}
        {config.isError && (
          <Notice tone="bad">
            The council could not be read: {asProblem(config.error).message}{" "}
            <button type="button" className="quiet-button" onClick={() => config.refetch()}>
              Try again
            </button>
          </Notice>
        )}
        {config.data?.features.simulated && (
          <Notice tone="warn">
            <strong>Simulated models.</strong> The server makes up answers of this council. For real
            ones, whoever runs it sets a provider’s key, such as <code>OPENROUTER_API_KEY</code>.
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
      <section className="examples" aria-label="Example questions">
        <ul>
          {examples.map((question) => (
            <li key={question}>
              <button
                type="button"
                onClick={() => {
                  drafts.write(null, { content: question });
                  document.querySelector<HTMLElement>(".composer textarea")?.focus();
                }}
              >
                <span>{question}</span>
                <Icon name="chevron" />
              </button>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
