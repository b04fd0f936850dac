// docs/api-report.md: what other programs may import, as the compiler declares it, without comments. A change of the
// public library so shows in a diff that somebody has to commit. Read from dist/index.d.ts and the files it names.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';

/**
 * @typedef {{ type: string, start: number, end: number, [field: string]: unknown }} Node
 * @typedef {{ start: number, end: number }} Range
 * @typedef {{ text: string, body: Node[], comments: Range[] }} Declarations of one file
 * @typedef {{ text: string, refers: string[] }} Declared one export, and the names that it uses
 */

/**
 * @param {string} root folder of the declarations
 * @returns {string} the page
 * @throws {Error} for an entrance that does more than to export names of other files
 */
export function apiPage(root) {
  const entrance = parse(join(root, 'index.d.ts'));
  /** @type {Map<string, Declared>} */
  const api = new Map();
  for (const node of entrance.body) {
    const source = /** @type {{ value?: string } | null} */ (node.source)?.value;
    if (node.type !== 'ExportNamedDeclaration' || source === undefined) {
      throw new Error(`index.d.ts may only export names of other files: ${entrance.text.slice(node.start, node.end)}`);
    }
    const file = join(root, source.replace(/\.js$/, '.d.ts'));
    for (const { exported } of /** @type {{ exported: { name: string } }[]} */ (node.specifiers)) {
      api.set(exported.name, declared(file, exported.name));
    }
  }
  const names = [...api.keys()].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  const behind = [...api.values()].flatMap(({ refers }) => refers).filter((name) => !api.has(name));
  return [
    '<!-- Generated from dist/index.d.ts by `npm run docs`. Do not edit. -->',
    '# The public API',
    '',
    'What `import ... from "saunter"` gives, as the compiler declares it; what it means stands in its comments in `src/` and in',
    '[library.md](library.md). A change of this page is a change of the API: `CHANGELOG.md` says what users have to know.',
    '',
    ...names.flatMap((name) => [`## ${name}`, '', '```ts', api.get(name)?.text ?? '', '```', '']),
    '## Behind them',
    '',
    'Types that these use and that cannot be imported by name: part of the API as far as they are reached through it.',
    '',
    [...new Set(behind)].sort().map((name) => `\`${name}\``).join(', '), // biome-ignore format: one line
    '',
  ].join('\n');
}

/**
 * @param {string} file
 * @returns {Declarations}
 */
function parse(file) {
  const text = readFileSync(file, 'utf8');
  const { program, errors, comments } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  return { text, body: /** @type {Node[]} */ (/** @type {unknown} */ (program.body)), comments };
}

/**
 * The declaration of an export, also where the file only passes it on.
 * @param {string} file
 * @param {string} name
 * @returns {Declared}
 */
function declared(file, name) {
  const { text, body, comments } = parse(file);
  /** @type {Map<string, string>} names of this file that come from another of ours */
  const ours = new Map();
  for (const node of body) {
    const source = /** @type {{ value?: string } | null} */ (node.source)?.value;
    if (source?.startsWith('.')) {
      const from = join(dirname(file), source.replace(/\.js$/, '.d.ts'));
      for (const { local, exported } of /** @type {{ local: { name: string }, exported?: { name: string } }[]} */ (
        node.specifiers
      )) {
        if (exported?.name === name) return declared(from, local.name);
        ours.set(local.name, from);
      }
    }
    for (const own of namesOf(node)) if (own !== name) ours.set(own, file);
  }
  const node = body.find((one) => namesOf(one).includes(name));
  if (node === undefined) throw new Error(`${file} does not declare ${name}`);
  const cuts = [
    ...comments.filter((comment) => comment.start > node.start && comment.end < node.end),
    ...privates(node),
  ];
  const shown = cut(text, node, cuts);
  return { text: shown, refers: [...ours.keys()].filter((other) => new RegExp(`\\b${other}\\b`).test(shown)) };
}

/**
 * @param {Node} node a statement
 * @returns {string[]} what it declares
 */
function namesOf(node) {
  const declaration = /** @type {Node} */ (node.declaration ?? node);
  const many = /** @type {{ id: { name: string } }[] | undefined} */ (declaration.declarations);
  const id = /** @type {{ name?: string } | undefined} */ (declaration.id);
  return many ? many.map((one) => one.id.name) : id?.name ? [id.name] : [];
}

/**
 * Members of a class that nobody outside can reach.
 * @param {Node} node
 * @returns {Range[]}
 */
function privates(node) {
  const declaration = /** @type {{ type: string, body?: { body: Node[] } }} */ (node.declaration ?? node);
  if (declaration.type !== 'ClassDeclaration') return [];
  return (declaration.body?.body ?? []).filter(
    (member) =>
      member.accessibility === 'private' || /** @type {{ type: string }} */ (member.key).type === 'PrivateIdentifier',
  );
}

/**
 * @param {string} text
 * @param {Range} whole
 * @param {Range[]} cuts parts of it that are left out, and lines that become empty
 */
function cut(text, whole, cuts) {
  let shown = '';
  let at = whole.start;
  for (const { start, end } of cuts.sort((a, b) => a.start - b.start)) {
    if (start < at) continue;
    shown += text.slice(at, start);
    at = end;
  }
  shown += text.slice(at, whole.end);
  return shown.replace(/^[\t ;]*\n/gm, '').replace(/[\t ]+$/gm, '');
}
