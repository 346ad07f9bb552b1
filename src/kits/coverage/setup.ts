/** `preseal/coverage/setup`: the setup file of vitest's workers, which the plugin of `preseal/coverage` adds. */
import { afterAll, inject } from 'vitest'
import { saveCoverage, startCoverage } from './collector.ts'
import { FOLDER } from './files.ts'

startCoverage()
afterAll(() => saveCoverage(inject(FOLDER as never)))
