// Whatever is given back to this thread's pool of buffers is spoilt at once: who looks at it afterwards sees 0xEE.
import { bodyBuffers } from '../../dist/buffer-pool.js';

const take = bodyBuffers.take.bind(bodyBuffers);
const give = bodyBuffers.give.bind(bodyBuffers);
const whole = new WeakSet();

bodyBuffers.take = (size) => {
  const buffer = take(size);
  if (buffer.length === buffer.buffer.byteLength) whole.add(buffer.buffer); // the small ones share the runtime's slab
  return buffer;
};
bodyBuffers.give = (bytes) => {
  if (whole.has(bytes.buffer)) new Uint8Array(bytes.buffer).fill(0xee);
  give(bytes);
};
