import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import {
  SortableContext,
  sortableKeyboardCoordinates,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import { type RefObject, useId, useRef, useState } from "react";
import type { FieldError } from "../../api/problem";
import { msg, t } from "../../i18n";
import { count } from "../../ui/format";
import { ModelPicker } from "../models/model-picker";
import { Errors, messagesAt } from "./fields";
import { moved, newSeat, type SeatDraft } from "./form";
import { Kin } from "./kin";
import { MemberRow, seatName } from "./member-row";

interface Props {
  seats: readonly SeatDraft[];
  /** The models that are not on offer. */
  gone: readonly string[];
  most: number;
  errors: readonly FieldError[];
  onChange: (seats: SeatDraft[]) => void;
}

const howTo = msg(
  "Press Space to pick the member up, the arrow keys to move it, Space again to put it down, or Escape to leave it where it was.",
);

/** What is heard while a member is dragged. `fresh` is whether it has just been picked up. */
function announcements(seats: readonly SeatDraft[], fresh: RefObject<boolean>): Announcements {
  const placeOf = (id: UniqueIdentifier) => seats.findIndex((seat) => seat.key === id);
  const nameOf = (id: UniqueIdentifier) => {
    const seat = seats[placeOf(id)];
    return seat ? seatName(seat) : t("The member");
  };
  /** Who it is about, and where that is. */
  const facts = (id: UniqueIdentifier, at = id) => ({
    name: nameOf(id),
    place: count(placeOf(at) + 1),
    all: count(seats.length),
  });
  return {
    onDragStart({ active }) {
      fresh.current = true;
      return t("{{name}} is picked up, from place {{place}} of {{all}}.", facts(active.id));
    },
    onDragOver({ active, over }) {
      // It is over its own place at once: saying so would drown out that it was picked up.
      const isStart = fresh.current && over?.id === active.id;
      fresh.current = false;
      if (!over || isStart) return undefined;
      return t("{{name}} is over place {{place}} of {{all}}.", facts(active.id, over.id));
    },
    onDragEnd: ({ active, over }) =>
      t("{{name}} is put down at place {{place}} of {{all}}.", facts(active.id, over?.id)),
    onDragCancel: ({ active }) =>
      t("{{name}} stays at place {{place}} of {{all}}.", facts(active.id)),
  };
}

export function Members({ seats, gone, most, errors, onChange }: Props) {
  const id = useId();
  const [said, setSaid] = useState("");
  const fresh = useRef(false);
  const sensors = useSensors(
    // A press that does not move is no drag.
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const change = (at: number, patch: Partial<SeatDraft>) =>
    onChange(seats.map((seat, index) => (index === at ? { ...seat, ...patch } : seat)));
  const drop = ({ active, over }: DragEndEvent) => {
    const [from, to] = [active, over].map((one) => seats.findIndex((seat) => seat.key === one?.id));
    if (from === undefined || to === undefined || from < 0 || to < 0 || from === to) return;
    onChange(moved(seats, from, to));
  };
  return (
    <>
      <Errors id={`${id}-all`} messages={messagesAt(errors, "council_models")} />
      <DndContext
        sensors={sensors}
        collisionDetection={closestCenter}
        accessibility={{
          announcements: announcements(seats, fresh),
          screenReaderInstructions: { draggable: t(howTo) },
        }}
        onDragEnd={drop}
      >
        <SortableContext items={seats.map(({ key }) => key)} strategy={verticalListSortingStrategy}>
          <ol className="members">
            {seats.map((seat, at) => (
              <MemberRow
                key={seat.key}
                seat={seat}
                at={at}
                gone={gone.includes(seat.model)}
                last={at === seats.length - 1}
                errors={errors}
                onChange={(patch) => change(at, patch)}
                onMove={(to) => {
                  onChange(moved(seats, at, to));
                  setSaid(
                    t("{{name}} is at place {{place}} of {{all}}.", {
                      name: seatName(seat),
                      place: count(to + 1),
                      all: count(seats.length),
                    }),
                  );
                }}
                onRemove={() => onChange(seats.filter((_, index) => index !== at))}
              />
            ))}
          </ol>
        </SortableContext>
      </DndContext>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      <Kin seats={seats} />
      <h3>{t("Add a member")}</h3>
      <ModelPicker
        taken={seats.map((seat) => seat.model)}
        takenText={t("in the council")}
        again
        full={seats.length >= most}
        fullText={t("The council is full. Remove a member to add another.")}
        onAdd={(model) => onChange([...seats, newSeat(model)])}
      />
    </>
  );
}
