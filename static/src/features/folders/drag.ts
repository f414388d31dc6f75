/**
 * A conversation dragged from the list onto a folder or a project, by the browser's own drag and drop: it costs the page nothing.
 * By keyboard, and by touch where that drags nothing, the same is in the conversation's menu.
 */
import { type DragEvent, useState } from "react";
import type { ConversationSummary } from "../../api/types";

let dragged: ConversationSummary | null = null;

/** What makes an entry of the list one that can be dragged. Its link takes its address along, for other windows. */
export const draggable = (item: ConversationSummary) => ({
  onDragStart({ currentTarget, dataTransfer, nativeEvent }: DragEvent<HTMLElement>) {
    dragged = item;
    dataTransfer.effectAllowed = "copyMove";
    const { left, top } = currentTarget.getBoundingClientRect();
    dataTransfer.setDragImage(currentTarget, nativeEvent.clientX - left, nativeEvent.clientY - top);
  },
  onDragEnd() {
    dragged = null;
  },
});

/**
 * A place that takes conversations: `isOver` while one that it `takes` is held over it. What is dragged from elsewhere, a file or
 * a link, is none of its business.
 */
export function useDrop(
  takes: (item: ConversationSummary) => boolean,
  onDrop: (item: ConversationSummary) => void,
) {
  const [isOver, setIsOver] = useState(false);
  return {
    isOver,
    place: {
      onDragOver(event: DragEvent<HTMLElement>) {
        if (!dragged || !takes(dragged)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "move";
        setIsOver(true);
      },
      onDragLeave({ currentTarget, relatedTarget }: DragEvent<HTMLElement>) {
        if (relatedTarget instanceof Node && currentTarget.contains(relatedTarget)) return;
        setIsOver(false);
      },
      onDrop(event: DragEvent<HTMLElement>) {
        setIsOver(false);
        if (!dragged || !takes(dragged)) return;
        event.preventDefault();
        onDrop(dragged);
      },
    },
  };
}
