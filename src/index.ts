/** The public library: what other programs may import. Everything else may change without notice. */
export type { Config, OptionName } from './config.js';
export { OUTCOMES, type OutcomeCode, UserError } from './errors.js';
export { breadthFirst, type Score, type Scored } from './frontier/score.js';
export { loadConfig } from './load-config.js';
export type { DocumentHandler, HandledDocument, HandlerAnswer } from './parse/documents.js';
export { version } from './version.js';
