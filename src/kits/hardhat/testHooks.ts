/** The hook of Hardhat's test runs: Hardhat keeps what it measured in a worker when its tests are done. */
import { type CoverageContext, flushCoverage } from './coverage.ts'
import { flushGasStats, type GasContext } from './gasStats.ts'

/** The handlers of the category `test`. */
export interface TestHooks {
  onTestWorkerDone<Context extends Pick<GasContext & CoverageContext, 'hooks'>>(
    context: Context,
    id: string,
    next: (context: Context, id: string) => Promise<void>,
  ): Promise<void>
}

/** See {@link TestHooks}. */
export const testHooks: TestHooks = {
  async onTestWorkerDone(context, id, next) {
    await flushGasStats(context)
    await flushCoverage(context)
    await next(context, id)
  },
}
