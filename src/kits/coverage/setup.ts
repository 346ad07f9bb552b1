/** `preseal/coverage/setup`: the setup file that the plugin of `preseal/coverage` adds to vitest's workers. */
import { afterAll, inject } from 'vitest'
import { saveCoverage, startCoverage } from './collector.ts'
import { FOLDER } from './files.ts'

startCoverage()
afterAll(() => saveCoverage(inject(FOLDER as never)))
