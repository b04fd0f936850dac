/** Where the program under test is. npm runs scripts in the package's own folder. */
import { resolve } from 'node:path';

export const programFile: string = resolve('bin/saunter.js');
