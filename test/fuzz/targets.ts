/** All that is fuzzed, in the order of the soak's turns. */
import { charsetTarget } from './charset.js';
import { configTarget } from './config.js';
import { decodeTarget } from './decode.js';
import { httpTarget } from './http.js';
import { checkpointTarget, leasesTarget } from './own-files.js';
import { packedLinksTarget } from './packed-links.js';
import { pageTarget, pageWorkTarget } from './page.js';
import { robotsTarget } from './robots.js';
import { seedsTarget } from './seeds.js';
import { sitemapTarget } from './sitemap.js';
import type { FuzzTarget } from './target.js';
import { urlTarget } from './url.js';
import { warcTarget } from './warc.js';

export const TARGETS: readonly FuzzTarget[] = [
  pageTarget,
  pageWorkTarget,
  charsetTarget,
  sitemapTarget,
  robotsTarget,
  urlTarget,
  httpTarget,
  decodeTarget,
  warcTarget,
  configTarget,
  packedLinksTarget,
  seedsTarget,
  checkpointTarget,
  leasesTarget,
];
