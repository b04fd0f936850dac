/** Work as bytes looked at: reads of single bytes, and the distances that searches run over. Counted, so that it is the
 * same on any machine under any load. */
import { PageScan } from '../../src/parse/scan.js';

const HEAD = { meta() {}, baseTag() {}, link() {} };

export function workOf(source: Buffer): number {
  let work = 0;
  const counted = new Proxy(source, {
    get(target, key) {
      if (typeof key === 'string' && key.charCodeAt(0) <= 0x39) {
        work++;
        return target[Number(key)];
      }
      if (key === 'indexOf') {
        return (what: number | string, from: number, encoding?: BufferEncoding): number => {
          const at = target.indexOf(what, from, encoding);
          work += (at < 0 ? target.length : at) - from + 1;
          return at;
        };
      }
      const value = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  new PageScan().read(counted, HEAD, 1000, false);
  return work;
}
