// Nothing is accepted and ignored: an option that can be set is read somewhere, and one that is announced as pending
// is not read yet. A read is `config.name`, `config['the.name']` or `const { name } = config`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { nodesOf } from './imports.mjs';

/** Where options are declared and loaded; what these files touch is not yet obeyed by anything. */
const DECLARING = ['config/config.ts', 'config/load-config.ts'];

/**
 * @param {string} root the source folder
 * @param {Readonly<Record<string, { pending?: boolean }>>} options the table of `config.ts`
 * @returns {string[]} one sentence for each fault
 */
export function checkOptions(root, options) {
  const read = new Set();
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || DECLARING.includes(file)) continue;
    for (const name of optionsRead(file, readFileSync(join(root, file), 'utf8'))) read.add(name);
  }
  const faults = [];
  for (const [name, { pending }] of Object.entries(options)) {
    if (!pending && !read.has(name))
      faults.push(`${name} can be set, but nothing reads it: obey it or mark it pending`);
    if (pending && read.has(name)) faults.push(`${name} is read, but still marked pending`);
  }
  return faults;
}

/**
 * Names of properties that one file takes from something called `config`.
 * @param {string} file
 * @param {string} text
 */
function* optionsRead(file, text) {
  for (const node of nodesOf(parseSync(file, text).program)) {
    if (node.type === 'MemberExpression' && isConfig(node.object)) {
      yield propertyName(node);
    } else if (node.type === 'VariableDeclarator' && isConfig(node.init)) {
      const pattern = /** @type {any} */ (node.id);
      for (const property of pattern.type === 'ObjectPattern' ? pattern.properties : []) {
        yield property.key?.name ?? property.key?.value;
      }
    }
  }
}

/** @param {any} node */
function isConfig(node) {
  if (node?.type === 'MemberExpression') return propertyName(node) === 'config';
  return node?.type === 'Identifier' && node.name === 'config';
}

/** @param {any} node */
function propertyName(node) {
  return node.computed ? node.property.value : node.property.name;
}
