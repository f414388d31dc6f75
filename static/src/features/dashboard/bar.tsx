/** A part of a whole, drawn; the figure itself stands next to it as text. */
export function Bar({ percent }: { percent: number }) {
  return (
    <span className="bar" aria-hidden="true">
      <span style={{ width: `${Math.max(0, Math.min(100, percent))}%` }} />
    </span>
  );
}
