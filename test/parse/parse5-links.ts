/** The oracle: every `href` of `a` and `area` that parse5 finds, scripting off, template contents left out. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

export function parse5Links(html: string): string[] {
  const links = new Set<string>();
  const stack: DefaultTreeAdapterTypes.ChildNode[] = [...parse(html, { scriptingEnabled: false }).childNodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!('tagName' in node)) continue;
    if (node.tagName === 'a' || node.tagName === 'area') {
      const href = node.attrs.find((attr) => attr.name === 'href' && attr.prefix === undefined);
      if (href !== undefined) links.add(trimmed(href.value));
    }
    stack.push(...node.childNodes);
  }
  return [...links].sort();
}

export const trimmed = (href: string): string => href.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '');
