/** Handlers that the user registered in the configuration: modules, loaded in the thread that reads documents. */
import type { DocumentHandler, HandlerAnswer } from '../parse/documents.js';

/** A type and the module that reads it. */
export interface HandlerModule {
  mediaType: string;
  /** `file:` URL. */
  module: string;
}

/** A handler whose module is loaded with the first document. Its default export is the function. */
export function lazyHandler({ mediaType, module }: HandlerModule): DocumentHandler {
  let loading: Promise<DocumentHandler> | undefined;
  return async (document): Promise<HandlerAnswer> => {
    loading ??= load(mediaType, module);
    return (await loading)(document);
  };
}

async function load(mediaType: string, module: string): Promise<DocumentHandler> {
  const loaded = (await import(module)) as { default?: unknown };
  if (typeof loaded.default !== 'function') {
    throw new Error(`${module}, the handler of ${mediaType}, has no function as its default export`);
  }
  return loaded.default as DocumentHandler;
}
