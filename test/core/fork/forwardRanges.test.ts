/** Reads of a fork that span its first block, and what other chains' nodes answer. */
import { describe, expect, it } from 'vitest'
import { type PresealChain, systemClock } from '../../../src/index.ts'
import { abbreviate, ask, type Scene, tokenCall } from '../../rpc/scene.ts'
import { forkOf, spyOn, startForkScene } from './forkScene.ts'
import { nodeOf, OTHER_CHAINS } from './otherChains.ts'

/** Transfers 3 tokens in a block of its own, as the owner of all tokens. */
async function transfer(chain: PresealChain, { token, accounts }: Scene): Promise<string> {
  const [alice, bob] = accounts
  await chain.impersonateAccount(alice!)
  const call = { from: alice!, to: token, data: tokenCall('transfer', [bob, 3n]) }
  return String(await chain.preconf.request({ method: 'eth_sendTransaction', params: [call] }))
}

type Log = { readonly blockNumber: string; readonly transactionHash: string; readonly logIndex: string }

describe('a range across the fork', () => {
  it('has the logs of both chains in order, each once', async () => {
    const { remote, fork, spy } = await startForkScene()
    await remote.chain.seal()
    const theirs = (await ask(remote.chain.standard, 'eth_getLogs', [
      { fromBlock: '0x0', toBlock: '0x2' },
    ])) as Log[]
    const third = await transfer(fork, remote)
    await fork.seal()
    const pending = await transfer(fork, remote)
    await fork.tick()
    spy.calls.length = 0
    const logs = (await ask(fork.preconf, 'eth_getLogs', [
      { fromBlock: '0x0', toBlock: 'pending', address: remote.token },
    ])) as Log[]
    const own = logs.slice(theirs.length)
    expect(logs.slice(0, theirs.length)).toEqual(theirs)
    expect(own.map(({ blockNumber, transactionHash }) => [blockNumber, transactionHash])).toEqual([
      ['0x3', third],
      ['0x4', pending],
    ])
    const asked = spy.calls.filter(({ method }) => method === 'eth_getLogs')
    expect(asked).toEqual([
      { method: 'eth_getLogs', params: [{ fromBlock: '0x0', toBlock: '0x2', address: [remote.token] }] },
    ])
    // After the fork, no request is made.
    spy.calls.length = 0
    expect(await ask(fork.preconf, 'eth_getLogs', [{ fromBlock: '0x3', toBlock: 'pending' }])).toEqual(own)
    expect(spy.calls).toEqual([])
  })

  it('is not asked for if the part after the fork is beyond the history', async () => {
    const { fork, spy } = await startForkScene({ history: { blocks: 2, proofs: 0 } })
    await fork.mine(4)
    spy.calls.length = 0
    const logs = await ask(fork.preconf, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
    expect(logs).toBe('error -32000 state not available')
    // What is asked nevertheless could fail after the answer, as an unhandled rejection.
    for (let turn = 0; turn < 20; turn++) await systemClock.yield()
    expect(spy.calls.map(({ method }) => method)).not.toContain('eth_getLogs')
  })

  it.each(['preconf', 'hardhat'] as const)(
    'is the same for the logs of a filter, in the dialect %s',
    async (dialect) => {
      const { remote, fork } = await startForkScene({ dialect })
      const filter = { fromBlock: '0x1', toBlock: 'pending' }
      const id = await ask(fork.preconf, 'eth_newFilter', [filter])
      await transfer(fork, remote)
      await fork.tick()
      const logs = await ask(fork.preconf, 'eth_getLogs', [filter])
      expect((logs as Log[]).map(({ blockNumber }) => blockNumber)).toEqual(['0x1', '0x2', '0x3'])
      expect(await ask(fork.preconf, 'eth_getFilterLogs', [id])).toEqual(logs)
      // What is new is the chain's own.
      expect(await ask(fork.preconf, 'eth_getFilterChanges', [id])).toEqual((logs as Log[]).slice(-1))
    },
  )

  it('is limited as a whole', async () => {
    const { remote, fork } = await startForkScene({ limits: { logResults: 1, logBlockRange: 3 } })
    await transfer(fork, remote)
    await fork.seal()
    const answers = {
      both: await ask(fork.standard, 'eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x3' }]),
      one: ((await ask(fork.standard, 'eth_getLogs', [{ fromBlock: '0x3', toBlock: '0x3' }])) as Log[])
        .length,
      long: await ask(fork.standard, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x3' }]),
    }
    expect(answers).toEqual({
      both: 'error -32602 more than 1 logs',
      one: 1,
      long: 'error -32602 block range too large: 4, limit 3',
    })
  })

  it('has the fees of both chains', async () => {
    const { remote, fork } = await startForkScene()
    await transfer(fork, remote)
    await fork.seal()
    const own = (await ask(fork.standard, 'eth_feeHistory', ['0x1', '0x3', [50]])) as Record<
      string,
      unknown[]
    >
    const theirs = (await ask(remote.chain.standard, 'eth_feeHistory', ['0x2', '0x2', [50]])) as typeof own
    const both = (await ask(fork.standard, 'eth_feeHistory', ['0x3', 'latest', [50]])) as typeof own
    expect(both).toEqual({
      oldestBlock: '0x1',
      ...Object.fromEntries(
        ['baseFeePerGas', 'gasUsedRatio', 'baseFeePerBlobGas', 'blobGasUsedRatio', 'reward'].map((name) => [
          name,
          [...theirs[name]!.slice(0, 2), ...own[name]!],
        ]),
      ),
    })
    // The fee of the block after the fork is the fork's own.
    await fork.preconf.request({ method: 'anvil_setNextBlockBaseFeePerGas', params: ['0x7'] })
    expect(await ask(fork.standard, 'eth_feeHistory', ['0x1', 'latest'])).toMatchObject({
      oldestBlock: '0x3',
      baseFeePerGas: [own['baseFeePerGas']![0], '0x7'],
    })
  })

  it('has the traces of both chains, skipped and counted together', async () => {
    const { remote, fork } = await startForkScene()
    await transfer(fork, remote)
    await fork.seal()
    const all = (await ask(fork.standard, 'trace_filter', [{}])) as { blockNumber: number }[]
    const theirs = await ask(remote.chain.standard, 'trace_filter', [{ toBlock: '0x2' }])
    expect(all.slice(0, -1)).toEqual(theirs)
    expect(all.at(-1)!.blockNumber).toBe(3)
    for (let after = 0; after <= all.length; after++) {
      for (const count of [1, 2, 9]) {
        expect(await ask(fork.standard, 'trace_filter', [{ after, count }])).toEqual(
          all.slice(after, after + count),
        )
      }
    }
  })
})

describe('forks of other chains', () => {
  it.each(Object.entries(OTHER_CHAINS))('%s passes through as it is', async (_name, other) => {
    const { block, transaction, receipt, chainId } = other
    const spy = spyOn(nodeOf(other))
    const fork = await forkOf(spy, Number(block.number), { chainId })
    const { standard } = fork
    const answers = {
      full: await ask(standard, 'eth_getBlockByNumber', ['latest', true]),
      hashes: await ask(standard, 'eth_getBlockByHash', [block.hash, false]),
      transaction: await ask(standard, 'eth_getTransactionByHash', [transaction.hash]),
      receipt: await ask(standard, 'eth_getTransactionReceipt', [transaction.hash]),
      receipts: await ask(standard, 'eth_getBlockReceipts', ['latest']),
      slot: await ask(standard, 'eth_getStorageAt', [`0x${'42'.repeat(20)}`, '0x0', 'latest']),
      unknown: await ask(standard, 'debug_traceTransaction', [transaction.hash]),
    }
    expect(answers).toEqual({
      full: abbreviate({ ...block, transactions: [transaction] }),
      hashes: abbreviate({ ...block, transactions: [transaction.hash] }),
      transaction,
      receipt: abbreviate(receipt),
      receipts: [abbreviate(receipt)],
      slot: `0x${'2a'.padStart(64, '0')}`,
      unknown: 'error -32601 the method debug_traceTransaction does not exist',
    })
  })

  it('a short word of storage before the fork has 32 bytes', async () => {
    const { fork, spy, remote } = await startForkScene()
    spy.lie = ({ method }, answer) => (method === 'eth_getStorageAt' ? '0x2a' : answer)
    expect(await ask(fork.standard, 'eth_getStorageAt', [remote.token, '0x0', '0x1'])).toBe(
      `0x${'2a'.padStart(64, '0')}`,
    )
  })
})
