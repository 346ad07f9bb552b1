/** preseal/gas: the gas of transactions per contract and method: reports, snapshots, and a reporter for vitest. */
export type { GasRecord, GasSample, RecordedCode } from './record.ts'
export { createGasRecorder, type GasRecorder, type GasWatch, type WatchableChain } from './recorder.ts'
export {
  createGasReport,
  formatGasReport,
  type GasContract,
  type GasDeployments,
  type GasMethod,
  type GasReport,
  type GasReportOptions,
  type GasStatistics,
  type TextStyle,
} from './report.ts'
export {
  createGasReporter,
  type GasReporter,
  type GasReporterOptions,
  type VitestModule,
  type VitestRun,
} from './reporter.ts'
export {
  compareGasSnapshots,
  formatGasComparison,
  type GasChange,
  type GasComparison,
  type GasFigure,
  gasReportToSnapshot,
  isGasComparisonPassed,
} from './snapshot.ts'
