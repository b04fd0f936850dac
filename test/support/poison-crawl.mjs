// Crawls with poisonous page workers (`poison-thread.mjs`) in a process of its own, which a test may kill.
// node poison-crawl.mjs DIR CONFIG(JSON) SEED...
import { loadConfig } from '../../dist/config/load-config.js';
import { runCrawl } from '../../dist/embedded/run.js';

const [dir, settings, ...seeds] = process.argv.slice(2);
const config = loadConfig(JSON.parse(settings), {
  'allow-private': ['127.0.0.0/8'],
  resolve: ['*.test=127.81.0.0/16'],
});
const options = { seeds, dir, add: false, config, userAgent: 'Saunter/test', signal: new AbortController().signal };
const ui = { progress: () => {}, say: console.log };
const summary = await runCrawl(options, ui, new URL('./poison-thread.mjs', import.meta.url));
console.log(JSON.stringify(summary));
