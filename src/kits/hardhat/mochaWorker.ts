/** What mocha loads in each of its parallel workers: the gas of a file is written when its tests are done. */
import { saveRecords } from './gasSnapshot.ts'

/** Where this module is, as mocha's option `require` takes it. */
export const url = import.meta.url

/** The root hooks of mocha. */
export const mochaHooks = { afterAll: saveRecords }
