/** Loaded by each of mocha's parallel workers: writes the gas of a test file when its tests are done. */
import { saveRecords } from './gasSnapshot.ts'

/** The location of this module, for mocha's option `require`. */
export const url = import.meta.url

/** The root hooks that mocha reads from a module it requires. */
export const mochaHooks = { afterAll: saveRecords }
