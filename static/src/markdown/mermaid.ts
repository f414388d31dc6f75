/** How Mermaid's text is coloured. It is never drawn: docs/web.md says why. */
import type { LanguageFn } from "highlight.js";

const diagrams = [
  "architecture-beta",
  "block-beta",
  "classDiagram",
  "erDiagram",
  "flowchart",
  "gantt",
  "gitGraph",
  "graph",
  "journey",
  "kanban",
  "mindmap",
  "pie",
  "quadrantChart",
  "requirementDiagram",
  "sankey-beta",
  "sequenceDiagram",
  "stateDiagram",
  "stateDiagram-v2",
  "timeline",
  "xychart-beta",
];
const words =
  "accTitle accDescr activate actor alt and as autonumber axis box break branch call checkout class classDef click commit critical " +
  "cherry-pick dateFormat deactivate destroy direction else end excludes href link linkStyle loop merge namespace note opt option over " +
  "par participant rect section state style subgraph title";

export const mermaid: LanguageFn = (hljs) => ({
  name: "Mermaid",
  keywords: {
    $pattern: "[A-Za-z][\\w-]*",
    keyword: words,
    built_in: diagrams,
    literal: ["TB", "TD", "BT", "LR", "RL"],
  },
  contains: [
    hljs.COMMENT(/%%/, /$/),
    hljs.QUOTE_STRING_MODE,
    // What stands on an arrow, and in a node.
    { scope: "string", begin: /\|/, end: /\|/, illegal: /\n/ },
    {
      scope: "string",
      begin: /[[({>](?=[^\]})\n]*[\]})])/,
      end: /[\]})]+/,
      contains: [hljs.QUOTE_STRING_MODE],
    },
    // Arrows, and the ends that entities have.
    { scope: "symbol", begin: /[<ox]?(?:--+|==+|-\.+-?|\.\.|~~~)(?:[>ox)]+|\|>|\{)?/ },
    hljs.C_NUMBER_MODE,
  ],
});
