/**
 * zlib engines that are used again. Each of the one-shot functions of node:zlib makes a stream with its state of 40 to
 * 270 KB, and leaves both to the collector: of the 0.37 ms of a page's gunzip a third, of the 0.11 ms of a text's gzip
 * half (docs/decisions/021-less-work-a-page.md).
 *
 * Node has no function for this. The handle under its streams can do it, and has been the same since 2013; npm's own
 * `minizlib` is built on it too. It is not promised, so it is tried on a sample before it is used, and whoever asks must
 * be able to do without.
 */
import zlib from 'node:zlib';

/** What {@link ZlibEngine.write} says instead of a number of bytes. */
export const FAILED = -1;

interface Handle {
  reset(): void;
  writeSync(
    flush: number,
    input: Uint8Array,
    inputAt: number,
    inputLength: number,
    output: Uint8Array,
    outputAt: number,
    outputLength: number,
  ): void;
  onerror: (message: string, errno: number, code: string) => void;
}

interface Stream {
  readonly _handle?: Partial<Handle> | null;
  /** Bytes of the output, then of the input, that the last call left. */
  readonly _writeState?: Uint32Array;
}

export class ZlibEngine {
  readonly #make: () => Stream;
  #handle: Handle | null = null;
  #state: Uint32Array = new Uint32Array(2);
  #faults = 0;
  #isUsable: boolean | null = null;
  readonly #test: (engine: ZlibEngine) => boolean;

  private constructor(make: () => Stream, test: (engine: ZlibEngine) => boolean) {
    this.#make = make;
    this.#test = test;
  }

  static gunzip(): ZlibEngine {
    return new ZlibEngine(() => zlib.createGunzip() as unknown as Stream, readsSample);
  }

  /** @param level 0 to 9 */
  static gzip(level: number): ZlibEngine {
    return new ZlibEngine(() => zlib.createGzip({ level }) as unknown as Stream, writesSample);
  }

  /** False: this Node has no such engine inside, ask node:zlib. */
  get isUsable(): boolean {
    if (this.#isUsable !== null) return this.#isUsable;
    this.#isUsable = true;
    try {
      this.#isUsable = this.#test(this);
    } catch {
      this.#isUsable = false;
    }
    return this.#isUsable;
  }

  /** Begins another stream. */
  begin(): void {
    if (this.#handle === null) this.#start();
    else this.#handle.reset();
  }

  /**
   * Reads `input` and writes into `output` from `at` on. Returns where it stopped writing, or {@link FAILED} if the input
   * is damaged. At the end of the output there may be more to come, which is lost: `begin` is the only thing left to do.
   *
   * @param flush of `zlib.constants`: Z_NO_FLUSH if more input comes
   */
  write(input: Uint8Array, output: Uint8Array, at: number, flush: number): number {
    const before = this.#faults;
    this.#handle!.writeSync(flush, input, 0, input.length, output, at, output.length - at);
    return this.#faults === before ? output.length - this.#state[0] : FAILED;
  }

  #start(): void {
    const { _handle: handle, _writeState: state } = this.#make();
    if (!handle?.reset || !handle.writeSync || !(state instanceof Uint32Array)) throw new TypeError('no such handle');
    // counted, since Node may run whatever waits after this function and before the next line of `write`
    handle.onerror = () => {
      this.#faults++;
      this.#handle = null;
    };
    this.#handle = handle as Handle;
    this.#state = state;
  }
}

const SAMPLE = Buffer.from('so it goes, so it goes, so it went, and it goes on');
const { Z_FINISH, Z_SYNC_FLUSH } = zlib.constants;

/** Twice, with damaged input between: the second stream must know nothing of the first. */
function readsSample(engine: ZlibEngine): boolean {
  const member = zlib.gzipSync(SAMPLE);
  const output = Buffer.alloc(2 * SAMPLE.length);
  const reads = (): boolean => {
    engine.begin();
    return output.subarray(0, engine.write(member, output, 0, Z_SYNC_FLUSH)).equals(SAMPLE);
  };
  if (!reads()) return false;
  engine.begin();
  return engine.write(SAMPLE, output, 0, Z_SYNC_FLUSH) === FAILED && reads() && reads();
}

function writesSample(engine: ZlibEngine): boolean {
  const output = Buffer.alloc(4 * SAMPLE.length);
  for (let round = 0; round < 2; round++) {
    engine.begin();
    if (!zlib.gunzipSync(output.subarray(0, engine.write(SAMPLE, output, 0, Z_FINISH))).equals(SAMPLE)) return false;
  }
  return true;
}
