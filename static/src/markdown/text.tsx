import { memo, useId, useMemo, useState } from "react";
import { BlockView } from "./block";
import { type Block, growing, splitBlocks } from "./blocks";
import type { Props } from "./markdown";

/** So much is rendered at once; what follows, when the reader comes near. */
const blocksAtOnce = 40;
const lettersAtOnce = 8_000;

function firstFar(blocks: readonly Block[]): number {
  let letters = 0;
  const at = blocks.findIndex(({ text }) => {
    letters += text.length;
    return letters > lettersAtOnce;
  });
  return Math.min(at < 0 ? blocks.length : Math.max(1, at), blocksAtOnce);
}

export const TextView = memo(function TextView({ text, streaming = false, names }: Props) {
  // Remembers what it has read; gives the same for the same text, whatever it remembers.
  const [grow] = useState(growing);
  const id = useId();
  const blocks = useMemo(
    () => (streaming ? grow(text) : splitBlocks(text)),
    [text, streaming, grow],
  );
  const far = firstFar(blocks);
  return blocks.map((block, at) => (
    <BlockView
      // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
      key={at}
      kind={block.kind}
      text={block.text}
      names={names}
      id={id}
      language={block.language ?? null}
      far={at >= far}
    />
  ));
});
