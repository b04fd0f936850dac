/** Handlers that the user registered in the configuration: modules, loaded in the thread that reads documents. */
import type { DocumentHandler, HandlerAnswer } from '../parse/documents.js';

/** A type and the module that reads it. */
export interface HandlerModule {
  mediaType: string;
  /** `file:` URL. */
  module: string;
}

/** A handler whose module is loaded with the first document. Its default export is the function, or, where the module is a
 * config file, has it among its `handlers`. */
export function lazyHandler({ mediaType, module }: HandlerModule): DocumentHandler {
  let loading: Promise<DocumentHandler> | undefined;
  return async (document): Promise<HandlerAnswer> => {
    loading ??= load(mediaType, module);
    return (await loading)(document);
  };
}

async function load(mediaType: string, module: string): Promise<DocumentHandler> {
  const { default: exported } = (await import(module)) as { default?: unknown };
  if (typeof exported === 'function') return exported as DocumentHandler;
  const handlers = (exported as { handlers?: Record<string, unknown> } | null | undefined)?.handlers ?? {};
  const found = Object.entries(handlers).find(([type]) => type.toLowerCase() === mediaType)?.[1];
  if (typeof found === 'function') return found as DocumentHandler;
  throw new Error(`${module}, the handler of ${mediaType}, has no function as its default export`);
}
