// What a module reaches for: every import in every form, and the ambient things (clock, randomness, network, process)
// that need no import. Read with a real parser: a regular expression sees imports in comments and misses them in code.
import { parseSync } from 'oxc-parser';

/**
 * @typedef {object} Import
 * @property {string} specifier as written
 * @property {number} line 1-based
 * @property {boolean} worker a thread is started with it: loaded, but not by this module
 *
 * @typedef {object} Ambient
 * @property {string} name such as `Date.now`
 * @property {number} line 1-based
 *
 * @typedef {{ type: string, start: number, [field: string]: unknown }} Node
 */

/** Globals that do I/O, read a clock or draw random numbers. */
const AMBIENT_GLOBALS = new Set([
  'fetch',
  'WebSocket',
  'process',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'crypto',
  'require',
]);
const AMBIENT_MEMBERS = new Set(['Date.now', 'Math.random', 'Atomics.wait']);

/**
 * Parses one module. Type-only imports count like all others: an arrow is an arrow.
 * @param {string} file its name tells the language
 * @param {string} text
 * @returns {{ imports: Import[], ambient: Ambient[] }}
 * @throws {Error} when the text does not parse
 */
export function readModule(file, text) {
  const { program, errors } = parseSync(file, text);
  const fatal = errors.find((error) => error.severity === 'Error');
  if (fatal) throw new Error(`${file}: ${fatal.message}`);
  const lineOf = lineFinder(text);
  /** @type {Import[]} */
  const imports = [];
  /** @type {Ambient[]} */
  const ambient = [];
  for (const node of nodesOf(program)) {
    const specifier = specifierOf(node);
    if (specifier !== null)
      imports.push({ specifier, line: lineOf(node.start), worker: node.type === 'NewExpression' });
    const name = ambientOf(node);
    if (name !== null) ambient.push({ name, line: lineOf(node.start) });
  }
  return { imports, ambient };
}

/**
 * The module that this node loads, or null. A worker's `new URL('./x.js', import.meta.url)` loads one too. A dynamic
 * import of anything but a literal reads as `?`, which no rule allows.
 * @param {Node} node
 */
function specifierOf(node) {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'TSImportType':
      return node.source ? literal(node.source) : null;
    case 'ImportExpression':
      return literal(node.source) ?? '?';
    case 'TSExternalModuleReference':
      return literal(node.expression);
    case 'NewExpression': {
      const [target, base] = /** @type {Node[]} */ (node.arguments);
      if (nameOf(node.callee) !== 'URL' || nameOf(base) !== 'import.meta.url') return null;
      const path = literal(target);
      return path !== null && /\.[cm]?[jt]s$/.test(path) ? path : null;
    }
    default:
      return null;
  }
}

/** @param {Node} node */
function ambientOf(node) {
  if (node.type === 'MemberExpression') {
    const name = nameOf(node);
    if (name === null) return null;
    if (AMBIENT_MEMBERS.has(name)) return name;
    const [object, ...members] = name.split('.');
    if (object === 'globalThis') return 'globalThis';
    return members.length > 0 && AMBIENT_GLOBALS.has(object) ? object : null;
  }
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const name = nameOf(node.callee);
    if (name === 'Date' && /** @type {Node[]} */ (node.arguments).length === 0) return 'new Date()';
    if (name !== null && AMBIENT_GLOBALS.has(name)) return name;
  }
  return null;
}

/**
 * `a.b.c` as written, or null for anything that is not a chain of names.
 * @param {unknown} value
 * @returns {string | null}
 */
function nameOf(value) {
  const parts = [];
  let node = /** @type {Node | undefined} */ (value);
  while (node?.type === 'MemberExpression' && !node.computed) {
    parts.unshift(/** @type {{ name: string }} */ (node.property).name);
    node = /** @type {Node} */ (node.object);
  }
  if (node?.type === 'MetaProperty') return ['import.meta', ...parts].join('.');
  return node?.type === 'Identifier' ? [node.name, ...parts].join('.') : null;
}

/**
 * @param {unknown} value
 * @returns {string | null}
 */
function literal(value) {
  const node = /** @type {Node} */ (value);
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  // TSImportType wraps its string in a literal type in some versions of the tree.
  return node.type === 'TSLiteralType' ? literal(node.literal) : null;
}

/**
 * Every node of a tree, in no particular order, without recursion.
 * @param {unknown} root
 * @returns {Generator<Node>}
 */
export function* nodesOf(root) {
  const stack = [root];
  while (stack.length > 0) {
    const value = stack.pop();
    if (value === null || typeof value !== 'object') continue;
    if (!Array.isArray(value) && typeof (/** @type {Node} */ (value).type) === 'string')
      yield/** @type {Node} */ (value);
    for (const child of Object.values(value)) if (child !== null && typeof child === 'object') stack.push(child);
  }
}

/**
 * @param {string} text
 * @returns {(offset: number) => number}
 */
function lineFinder(text) {
  return (offset) => text.slice(0, offset).split('\n').length;
}
