/** A line over time. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { timeOf } from './words.js';

export interface Line {
  label: string;
  values: (number | null)[];
  /** A custom property of the style sheet, such as `--series-1`. */
  color: string;
}

const HEIGHT = 190;

export function Chart({
  title,
  at,
  lines,
  format,
}: {
  title: string;
  at: number[];
  lines: Line[];
  format: (n: number) => string;
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const labels = lines.map(({ label }) => label).join();
  useEffect(() => {
    const box = place.current!;
    const style = getComputedStyle(box);
    const ink = style.getPropertyValue('--muted');
    const grid = { stroke: style.getPropertyValue('--line'), width: 1 };
    const axis = { stroke: ink, grid, ticks: grid, font: '12px system-ui' };
    const options: uPlot.Options = {
      width: box.clientWidth,
      height: HEIGHT,
      cursor: { y: false },
      legend: { live: true },
      scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
      axes: [
        { ...axis, space: 80, values: (_, ticks) => ticks.map((second) => timeOf(second * 1000)) },
        { ...axis, size: 62, values: (_, ticks) => ticks.map((n) => (n === 0 ? '0' : format(n))) },
      ],
      series: [
        { value: (_: uPlot, second: number | null) => (second === null ? '–' : timeOf(second * 1000)) },
        ...lines.map(({ label, color }) => ({
          label,
          stroke: style.getPropertyValue(color),
          width: 2,
          value: (_: uPlot, n: number | null) => (n === null ? '–' : format(n)),
        })),
      ],
    };
    const made = new uPlot(options, [[], ...lines.map(() => [])], box);
    plot.current = made;
    const watcher = new ResizeObserver(() => made.setSize({ width: box.clientWidth, height: HEIGHT }));
    watcher.observe(box);
    return () => {
      watcher.disconnect();
      made.destroy();
    };
  }, [labels]);
  useEffect(() => plot.current?.setData([at, ...lines.map(({ values }) => values)]), [at, lines]);
  const last = lines.map(({ label, values }) => `${label} ${format(values.at(-1) ?? 0)}`).join(', ');
  return (
    <figure class="card chart">
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={`${title} over the last hour; now ${last}`} />
    </figure>
  );
}
