/** The dashboard and the alert rules of docs/operate name metrics that there are, and the dashboard shows all of them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METRICS } from '../../src/serve/metrics.js';
import { root } from '../support/saunter.js';

interface Panel {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { refId: string; expr: string; legendFormat: string }[];
}

const read = (name: string): string => readFileSync(join(root, 'docs/operate', name), 'utf8');
const { panels } = JSON.parse(read('grafana.json')) as { panels: Panel[] };
const named = (text: string): string[] => [...new Set([...text.matchAll(/\bsaunter_\w+/g)].map(([name]) => name))];

test('each metric has a panel, and no panel shows one that there is not', () => {
  const shown = named(panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(' '));
  expect(shown.sort()).toEqual(METRICS.map(({ name }) => name).sort());
});

test('each alert rule is about metrics that there are', () => {
  const names = METRICS.map(({ name }) => name);
  const used = named(read('alerts.yaml'));
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((name) => !names.includes(name))).toEqual([]);
});

test('labels that a legend shows or that are summed by are those of the metric, and counters are shown as rates', () => {
  for (const { expr, legendFormat } of panels.flatMap(({ targets }) => targets)) {
    const [metric] = METRICS.filter(({ name }) => expr.includes(name)).sort((a, b) => b.name.length - a.name.length);
    const labels = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g), ...expr.matchAll(/by \((\w+)\)/g)].map(
      ([, label]) => label,
    );
    for (const label of labels) expect(label, expr).toBe(metric.label);
    expect(expr.includes('rate('), expr).toBe(metric.kind === 'counter');
  }
});

test('no panel lies over another', () => {
  const cells = panels.flatMap(({ gridPos: { x, y } }) => [`${x},${y}`]);
  expect(new Set(cells).size).toBe(panels.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { gridPos, targets, title } of panels) {
    expect([gridPos.x % 12, gridPos.y % 8, gridPos.w, gridPos.h], title).toEqual([0, 0, 12, 8]);
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  }
});
