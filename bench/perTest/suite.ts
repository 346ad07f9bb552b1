/** Shared by the suites: the number of tests, and the setup of each. */
import type { ManualClock } from '../../src/base/manualClock.ts'
import type { ChainFixtures } from '../../src/kits/vitest/index.ts'
import { Token } from '../../test/contracts/artifacts.ts'

/** By number. */
export const TESTS = Array.from({ length: 300 }, (_, index) => index)

type Fixtures = Pick<ChainFixtures<ManualClock>, 'chain' | 'preconf' | 'clock'>

/** A token and nine payments, in one block. */
export async function deploy({ chain, preconf, clock }: Fixtures): Promise<void> {
  const [from, ...others] = chain.accounts.map(({ address }) => address)
  const transactions = [{ data: Token.bytecode }, ...others.map((to) => ({ to, value: '0x1' as const }))]
  for (const transaction of transactions) {
    await preconf.request({ method: 'eth_sendTransaction', params: [{ from: from!, ...transaction }] })
  }
  await clock.advance(2000)
}

/** One transaction, and the tick that includes it. */
export async function use({ chain, preconf, clock }: Fixtures): Promise<void> {
  const [from, to] = chain.accounts.map(({ address }) => address)
  await preconf.request({ method: 'eth_sendTransaction', params: [{ from: from!, to: to!, value: '0x1' }] })
  await clock.advance(200)
}
