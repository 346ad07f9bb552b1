/** preseal/coverage: which Solidity a process's chains execute, without instrumenting; istanbul's packages are peers. */
export { clearCoverage, saveCoverage, startCoverage, stopCoverage } from './collector.ts'
export type { CoverageData, CoveragePosition, CoverageRange, FileCoverage } from './createCoverage.ts'
export {
  type CoverageOptions,
  type CoverageReport,
  readCoverage,
  reportCoverage,
  type SolidityCoveragePlugin,
  solidityCoverage,
} from './report.ts'
