/** preseal/coverage: which Solidity a process's chains execute, without instrumenting; istanbul's packages are peers. */
export { clearCoverage, saveCoverage, startCoverage, stopCoverage } from './collector.ts'
export type { CoverageData, CoveragePosition, CoverageRange, FileCoverage } from './fileCoverage.ts'
export { type CoverageOptions, type CoverageReport, readCoverage, reportCoverage } from './report.ts'
export { type SolidityCoveragePlugin, solidityCoverage } from './vitestPlugin.ts'
