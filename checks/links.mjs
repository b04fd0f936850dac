// The links of every Markdown page: the file is there, and so is the heading. And every page of docs/ can be reached from
// README.md by links. Links to other sites are not followed: a check must not fail since somebody else is away.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Folders that hold no pages of ours. */
const NOT_OURS = new Set(['node_modules', 'dist', '.git', 'fixtures', 'kept']);

/**
 * @param {string} root the folder of the package
 * @returns {string[]} faults, with the page that has them
 */
export function checkLinks(root) {
  const pages = new Map(markdownFiles(root).map((path) => [path, readFileSync(path, 'utf8')]));
  const anchors = new Map([...pages].map(([path, text]) => [path, anchorsOf(text)]));
  /** @type {string[]} */
  const faults = [];
  const reached = new Set([join(root, 'README.md')]);
  // a set is walked with what is added on the way
  for (const path of reached) {
    for (const target of linksOf(pages.get(path) ?? '')) {
      const to = placeOf(path, target);
      if (to === null) continue;
      // a link to a folder shows what is in it
      for (const page of pages.keys()) if (page === to.path || dirname(page) === to.path) reached.add(page);
    }
  }
  for (const [path, text] of pages) {
    const from = relative(root, path);
    for (const target of linksOf(text)) {
      const to = placeOf(path, target);
      if (to === null) continue;
      if (!existsSync(to.path)) faults.push(`${from} links to ${target}, which is not there`);
      else if (to.anchor !== '' && anchors.get(to.path)?.has(to.anchor) !== true)
        faults.push(`${from} links to ${target}, which has no heading of that name`);
    }
    if (from.startsWith('docs/') && !reached.has(path)) faults.push(`no link leads from README.md to ${from}`);
  }
  return faults;
}

/** @param {string} folder @returns {string[]} */
function markdownFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : markdownFiles(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/**
 * Where a link leads in this repository; null for another site, or an address for mail. A folder stands for its README.md if it has one.
 * @param {string} page
 * @param {string} target
 */
function placeOf(page, target) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) return null;
  const [file, anchor = ''] = target.split('#', 2);
  let path = file === '' ? page : resolve(dirname(page), decodeURIComponent(file));
  const index = join(path, 'README.md');
  if (existsSync(index) && statSync(path).isDirectory()) path = index;
  return { path, anchor: decodeURIComponent(anchor) };
}

/** Without what is code. @param {string} text */
const prose = (text) => withoutFences(text).replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '');

/** @param {string} text */
const withoutFences = (text) => text.replace(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^ *\2[ \t]*$/gm, '');

/** The targets of links and pictures. @param {string} text @returns {string[]} */
export function linksOf(text) {
  const plain = prose(text);
  const markdown = [...plain.matchAll(/\]\(\s*<?([^\s)>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const references = [...plain.matchAll(/^ *\[[^\]]+\]:\s*<?(\S+?)>?(?:\s+"[^"]*")?$/gm)];
  const html = [...plain.matchAll(/<[a-z]+\s[^>]*?\b(?:href|src|srcset)="([^"]+)"/g)];
  return [...markdown, ...references, ...html].map((match) => match[1]);
}

/** The names under which the headings of a page can be linked, by the rule of GitHub. @param {string} text @returns {Set<string>} */
export function anchorsOf(text) {
  const anchors = new Set();
  for (const [, heading] of withoutFences(text).matchAll(/^#{1,6} +(.*?)(?: +#+)?$/gm)) {
    const words = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const name = words.replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-');
    let free = name;
    for (let n = 1; anchors.has(free); n++) free = `${name}-${n}`;
    anchors.add(free);
  }
  return anchors;
}
