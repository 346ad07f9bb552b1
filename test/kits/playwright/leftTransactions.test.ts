import { describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '../../../src/base/clock.ts'
import { createManualClock } from '../../../src/index.ts'
import { findLeftTransactions } from '../../../src/kits/playwright/leftTransactions.ts'
import { startChain, type TestChain } from '../../harness.ts'

const FAILED = { status: 'failed' as const, errors: [{ message: 'expected 1 to be 2' }] }
const TIMED_OUT = { status: 'timedOut' as const, errors: [{ message: 'Test timeout of 30000ms exceeded.' }] }

const send = ({ accounts, standard }: TestChain): Promise<unknown> =>
  standard.request({
    method: 'eth_sendTransaction',
    params: [{ from: accounts[0]!.address, to: accounts[1]!.address, value: '0x1' }],
  })

/** A clock that is not advanced by hand, and on which nothing falls due during a test. */
function realTime(): Clock {
  const clock = createManualClock()
  return {
    now: () => clock.now(),
    setTimeout: (fn, ms) => clock.setTimeout(fn, ms),
    clearTimeout: (timer) => clock.clearTimeout(timer),
    yield: () => clock.yield(),
  }
}

describe('a failed test under a manual clock that left transactions waiting', () => {
  it('should advance the clock for a tick, and for the seal if it timed out', async () => {
    const chain = await startChain({ mining: 'interval' })
    expect(await findLeftTransactions(chain, TIMED_OUT)).toBeUndefined()
    await send(chain)
    expect((await findLeftTransactions(chain, FAILED))?.message).toBe(
      '1 transaction was waiting for a tick when the test ended; the manual clock was advanced by 0 ms; expected await chain.advance(ms)',
    )
    await chain.advance(200)
    await send(chain)
    await chain.advance(200)
    expect(await findLeftTransactions(chain, FAILED)).toBeUndefined()
    expect((await findLeftTransactions(chain, TIMED_OUT))?.message).toBe(
      '2 transactions were waiting for the seal when the test ended; the manual clock was advanced by 400 ms; expected await chain.advance(ms)',
    )
    await chain.advance(1600)
    expect(await findLeftTransactions(chain, TIMED_OUT)).toBeUndefined()
  })

  it.each([
    'Timed out 5000ms waiting for expect(locator).toBeVisible()',
    'expect(locator).toBeVisible() failed\n\nTimeout: 5000ms',
    'TimeoutError: locator.click: Timeout 500ms exceeded.',
  ])('has waited in vain if an error is: %s', async (message) => {
    const chain = await startChain()
    await send(chain)
    await chain.tick()
    const left = await findLeftTransactions(chain, { status: 'failed', errors: [{}, { message }] })
    expect(left?.name).toBe('TransactionsLeftError')
  })

  it('should make the blocks itself in manual mining', async () => {
    const chain = await startChain({ clock: systemClock })
    await send(chain)
    expect((await findLeftTransactions(chain, FAILED))?.message).toBe(
      '1 transaction was waiting for a tick when the test ended; expected await chain.tick()',
    )
    await chain.tick()
    expect((await findLeftTransactions(chain, TIMED_OUT))?.message).toBe(
      '1 transaction was waiting for the seal when the test ended; expected await chain.seal()',
    )
  })

  it('should send the nonces that are missing', async () => {
    const chain = await startChain({ mining: 'interval', clock: realTime() })
    const [alice, bob] = chain.accounts
    const gapped = { from: alice!.address, to: bob!.address, value: '0x1', nonce: '0x2' } as const
    await chain.standard.request({ method: 'eth_sendTransaction', params: [gapped] })
    expect((await findLeftTransactions(chain, FAILED))?.message).toBe(
      `a nonce gap: ${alice!.address} has sent nonce 2, but its next nonce is 0`,
    )
  })

  it('has no further error if the chain makes blocks in real time, or is closed', async () => {
    const chain = await startChain({ mining: 'interval', clock: realTime() })
    await send(chain)
    expect(await findLeftTransactions(chain, TIMED_OUT)).toBeUndefined()
    await chain.close()
    const closed = await startChain({ mining: 'interval' })
    await send(closed)
    await closed.close()
    expect(await findLeftTransactions(closed, TIMED_OUT)).toBeUndefined()
  })
})
