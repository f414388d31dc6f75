import { memo, useId, useMemo, useState } from "react";
import { BlockView, FarBlocks } from "./block";
import { type Block, growing, splitBlocks } from "./blocks";
import type { Props } from "./markdown";

/** How much is rendered at once; what follows is rendered when the reader comes near. */
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

/** What is far away is put together in groups of this many blocks or letters. */
const blocksTogether = 50;
const lettersTogether = 6_000;

function together(blocks: readonly Block[], from: number): Block[][] {
  const groups: Block[][] = [];
  let group: Block[] = [];
  let letters = 0;
  for (const block of blocks.slice(from)) {
    const isFull = group.length === blocksTogether || letters + block.text.length > lettersTogether;
    if (isFull && group.length > 0) {
      groups.push(group);
      group = [];
      letters = 0;
    }
    group.push(block);
    letters += block.text.length;
  }
  if (group.length > 0) groups.push(group);
  return groups;
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
  return (
    <>
      {blocks.slice(0, far).map((block, at) => (
        <BlockView
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever grow at the end
          key={at}
          kind={block.kind}
          text={block.text}
          names={names}
          id={id}
          language={block.language ?? null}
        />
      ))}
      {together(blocks, far).map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <FarBlocks key={`far ${at}`} blocks={group} names={names} id={id} />
      ))}
    </>
  );
});
