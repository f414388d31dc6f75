import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export interface ChartProps {
  /** What is beneath each bar. */
  ticks: readonly string[];
  /** null is unknown, and marked as such. */
  values: readonly (number | null)[];
  format: (value: number) => string;
  whole: boolean;
  /** Told which bar is pointed at. */
  onPoint: (at: number | null) => void;
}

/** Counts up by one whenever the colours of the page change. */
function useColours(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const changed = () => setTurn((old) => old + 1);
    const watch = new MutationObserver(changed);
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", changed);
    return () => {
      watch.disconnect();
      dark.removeEventListener("change", changed);
    };
  }, []);
  return turn;
}

/** A canvas takes no custom properties, so the browser works them out on an element. */
function colourOf(element: HTMLElement, token: string): string {
  element.style.color = `var(${token})`;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}

const height = 240;
const font = "12px system-ui, sans-serif";
const steps = [1, 2, 3, 5, 7, 10, 14, 21, 28, 42, 56, 84];
const wholeSteps = Array.from({ length: 14 }, (_, at) => [10 ** at, 2 * 10 ** at, 5 * 10 ** at]);

function optionsOf(place: HTMLElement, props: ChartProps, narrow: boolean): uPlot.Options {
  const { ticks, values, format, whole, onPoint } = props;
  const [ink, line, accent, warn] = ["--ink-soft", "--line", "--accent", "--warn-ink"].map(
    (token) => colourOf(place, token),
  );
  const axis = { font, stroke: ink, ticks: { show: false } } as const;
  const paths = uPlot.paths.bars?.({ size: [0.72, 44], radius: 0.18 });
  return {
    width: place.clientWidth,
    height,
    padding: [12, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: () => [-0.5, values.length - 0.5] },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 32,
        grid: { show: false },
        space: narrow ? 64 : 72,
        incrs: steps,
        values: (_, splits) => splits.map((at) => ticks[at] ?? ""),
      },
      {
        ...axis,
        size: 64,
        grid: { stroke: line, width: 1 },
        incrs: whole ? wholeSteps.flat() : undefined,
        values: (_, splits) => splits.map(format),
      },
    ],
    series: [{}, { fill: accent, stroke: accent, width: 0, paths, points: { show: false } }],
    hooks: {
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)],
      draw: [
        ({ ctx, valToPos, bbox }) => {
          ctx.save();
          ctx.fillStyle = warn ?? "";
          ctx.font = `600 ${13 * devicePixelRatio}px system-ui, sans-serif`;
          ctx.textAlign = "center";
          values.forEach((value, at) => {
            if (value !== null) return;
            ctx.fillText("?", valToPos(at, "x", true), bbox.top + bbox.height - 6);
          });
          ctx.restore();
        },
      ],
    },
  };
}

/** Bars over time. For eyes and pointers alone: the table next to it holds the same figures. */
export default function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const { ticks, values, format, whole, onPoint } = props;
  const colours = useColours();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours are another chart
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const given = { ticks, values, format, whole, onPoint };
    const chart = new uPlot(
      optionsOf(element, given, element.clientWidth < 480),
      [values.map((_, at) => at), [...values]],
      element,
    );
    const watch = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [ticks, values, format, whole, onPoint, colours]);
  return <div ref={place} className="chart" aria-hidden="true" />;
}
