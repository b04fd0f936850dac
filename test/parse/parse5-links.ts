/** The oracle: what parse5 makes of a page, scripting off, template contents left out. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5';

interface Parse5Reading {
  /** Every `href` of `a` and `area`, once, sorted. */
  readonly links: string[];
  readonly frameset: boolean;
  readonly noscriptInHead: boolean;
}

export function parse5Reading(html: string): Parse5Reading {
  const links = new Set<string>();
  let [frameset, noscriptInHead] = [false, false];
  const stack: DefaultTreeAdapterTypes.ChildNode[] = [...parse(html, { scriptingEnabled: false }).childNodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!('tagName' in node)) continue;
    if (node.tagName === 'a' || node.tagName === 'area') {
      const href = node.attrs.find((attr) => attr.name === 'href' && attr.prefix === undefined);
      if (href !== undefined) links.add(trimmed(href.value));
    } else if (node.tagName === 'frameset') frameset = true;
    else if (node.tagName === 'noscript' && node.parentNode?.nodeName === 'head') noscriptInHead = true;
    stack.push(...node.childNodes);
  }
  return { links: [...links].sort(), frameset, noscriptInHead };
}

export const parse5Links = (html: string): string[] => parse5Reading(html).links;

export const trimmed = (href: string): string => href.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '');
