/** preseal/coverage: which Solidity code chains execute, without instrumenting it. istanbul is a peer dependency. */
export { saveCoverage, startCoverage, stopCoverage } from './collector.ts'
export type { CoverageData, CoveragePosition, CoverageRange, FileCoverage } from './createCoverage.ts'
export { clearCoverage } from './files.ts'
export {
  type CoverageOptions,
  type CoverageReport,
  readCoverage,
  reportCoverage,
  type SolidityCoveragePlugin,
  solidityCoverage,
} from './report.ts'
