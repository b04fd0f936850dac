/** The normal form under which a crawl knows URLs: by the options that enter its keys, with which it was begun. */
import type { Config } from '../config/config.js';
import { loadConfig } from '../config/load-config.js';
import type { StoreReader } from '../engines/ports.js';
import { metaOf } from '../store-meta.js';
import { createNormalizer, type KeyOptions, type Normalizer } from '../url/normalize.js';

export function keyOptions(config: Config): KeyOptions {
  return {
    trackingParameters: config['url.tracking'],
    sessionParameters: config['url.session'],
    pathSessionParameters: config['url.pathSession'],
    sessionTokenLength: config['url.sessionLength'],
  };
}

export function normalizerOf(reader: Pick<StoreReader, 'meta'>): Normalizer {
  const frozen = metaOf<[string, unknown][]>(reader, 'options.frozen', []);
  return createNormalizer(keyOptions(loadConfig(Object.fromEntries(frozen))));
}
