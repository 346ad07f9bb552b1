import { createPublicClient, custom, ProviderDisconnectedError } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PushUnsupportedError, watchTransactionStatus } from '../../../../src/kits/viem/index.ts'
import { startChain } from '../../../harness.ts'
import { flush, start } from '../setup.ts'

const UNKNOWN = `0x${'11'.repeat(32)}` as const

type Setup = Awaited<ReturnType<typeof start>>

/** The stages that a watcher has reported so far; `Unknown` if the transaction has none. */
function stagesOf({ client }: Setup, hash: `0x${string}`) {
  const stages: string[] = []
  const unwatch = client.watchTransactionStatus({
    hash,
    onStatus: ({ status, stage, reason }) =>
      stages.push([stage ?? status, ...(reason === undefined ? [] : [reason])].join(' ')),
    onError: (error) => stages.push(error.name),
  })
  onTestFinished(unwatch)
  return { stages, unwatch }
}

const send = ({ client, to }: Setup, nonce: number, fee = 10n ** 10n) =>
  client.sendTransaction({ to, value: 1n, nonce, gas: 21_000n, maxFeePerGas: fee, maxPriorityFeePerGas: fee })

describe('watchTransactionStatus', () => {
  it('reports every stage once, from the mempool to the sealed block', async () => {
    const setup = await start()
    const { chain } = setup
    const queued = await send(setup, 1)
    const { stages } = stagesOf(setup, queued)
    await flush()
    expect(stages).toEqual(['queued'])
    await send(setup, 0)
    await chain.tick()
    expect(stages).toEqual(['queued', 'preconfirmed'])
    await chain.tick()
    await chain.seal()
    await chain.seal()
    await flush()
    expect(stages).toEqual(['queued', 'preconfirmed', 'sealed'])
  })

  it('reports a transaction that is sent after the watcher started', async () => {
    const setup = await start()
    const hash = await send(await start(), 0)
    const { stages } = stagesOf(setup, hash)
    await flush()
    expect(await send(setup, 0)).toBe(hash)
    expect(stages).toEqual(['Unknown', 'pending'])
  })

  it('reports a withdrawn pre-confirmation, with the previous status', async () => {
    const setup = await start()
    const { chain, client } = setup
    const hash = await send(setup, 0)
    const changes: unknown[] = []
    onTestFinished(
      client.watchTransactionStatus({
        hash,
        onStatus: ({ stage }, previous) => changes.push([previous?.stage, stage]),
      }),
    )
    await flush()
    await chain.tick()
    await chain.retract({ transactions: [hash] })
    await chain.tick()
    expect(changes).toEqual([
      [undefined, 'pending'],
      ['pending', 'preconfirmed'],
      ['preconfirmed', 'pending'],
      ['pending', 'preconfirmed'],
    ])
  })

  it('reports a drop and a replacement at once, with the reason', async () => {
    const setup = await start()
    const { client } = setup
    const dropped = await send(setup, 0)
    const replaced = await send(setup, 1)
    const first = stagesOf(setup, dropped)
    const second = stagesOf(setup, replaced)
    await flush()
    await client.request({ method: 'anvil_dropTransaction', params: [dropped] } as never)
    await send(setup, 1, 10n ** 11n)
    expect(first.stages).toEqual(['pending', 'dropped removed'])
    expect(second.stages).toEqual(['pending', 'replaced replaced'])
  })

  it('reports withdrawn blocks, and a revert to before the transaction was sent', async () => {
    const setup = await start()
    const { chain } = setup
    const id = await chain.snapshot()
    const hash = await send(setup, 0)
    await chain.seal()
    const { stages } = stagesOf(setup, hash)
    await flush()
    await chain.reorg({ depth: 1 })
    await flush()
    await chain.seal()
    await flush()
    await chain.revert(id)
    await flush()
    expect(stages).toEqual(['sealed', 'pending', 'preconfirmed', 'sealed', 'dropped removed'])
  })

  it('reports on standard what that view shows, at every head', async () => {
    const setup = await start('standard')
    const { chain } = setup
    const hash = await send(setup, 0)
    const other = await send(setup, 1)
    const { stages } = stagesOf(setup, hash)
    const replaced = stagesOf(setup, other)
    await flush()
    await chain.tick()
    await chain.seal()
    await flush()
    expect(stages).toEqual(['pending', 'sealed'])
    expect(replaced.stages).toEqual(['pending', 'sealed'])
  })

  it('ends if it is unwatched, and leaves no subscription', async () => {
    const setup = await start()
    const { chain, tap } = setup
    const hash = await send(setup, 0)
    const { stages, unwatch } = stagesOf(setup, hash)
    await flush()
    unwatch()
    await chain.seal()
    await flush()
    expect(stages).toEqual(['pending'])
    expect([tap.count('eth_subscribe'), tap.count('eth_unsubscribe')]).toEqual([2, 2])
  })

  it('reports the end of the chain once, and a transport that cannot push', async () => {
    const setup = await start()
    const { stages } = stagesOf(setup, UNKNOWN)
    await flush()
    await setup.chain.close()
    expect(stages).toEqual(['Unknown', ProviderDisconnectedError.name])
    const polling = createPublicClient({ transport: custom((await startChain()).preconf) })
    const errors: Error[] = []
    watchTransactionStatus(polling, {
      hash: UNKNOWN,
      onStatus: () => {},
      onError: (error) => errors.push(error),
    })
    await flush()
    expect(errors).toEqual([expect.any(PushUnsupportedError)])
  })

  it('passes errors of its callback to onError, and continues', async () => {
    const setup = await start()
    const { chain, client } = setup
    const hash = await send(setup, 0)
    const calls: unknown[] = []
    onTestFinished(
      client.watchTransactionStatus({
        hash,
        onStatus({ stage }) {
          calls.push(stage)
          throw new Error(`no ${stage}`)
        },
        onError: ({ message }) => calls.push(message),
      }),
    )
    await flush()
    await chain.tick()
    expect(calls).toEqual(['pending', 'no pending', 'preconfirmed', 'no preconfirmed'])
  })
})
