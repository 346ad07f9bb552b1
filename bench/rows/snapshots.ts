import type { EngineChain } from '../engines/engine.ts'
import { collectGarbage, meanOfCalls } from '../measure.ts'
import { recipient, recipients } from '../recipients.ts'
import type { RowGroup } from './row.ts'

const ACCOUNTS = 50_000
const PAIRS = 1_000
/** Pairs between two readings of the memory. */
const FURTHER = 10 * PAIRS

const OTHERS = recipients(ACCOUNTS)

export const snapshots: RowGroup = {
  name: 'snapshots',
  rows: [
    { label: 'snapshot and revert, 50,000 accounts: nothing between', unit: 'ms', aim: { edr: 1, anvil: 1 } },
    { label: 'snapshot, set a balance, revert', unit: 'ms', aim: { edr: 1, anvil: 1 } },
    { label: 'snapshot, mine a transfer, revert', unit: 'ms', aim: { edr: 1, anvil: 1 } },
    { label: 'heap growth per 1,000 of each', unit: 'MiB', limit: 0.1 },
  ],

  async measure(engine, { accounts, transfers }) {
    // ganache takes minutes to create so many accounts.
    if (engine.name === 'ganache') return [null, null, null, null]
    const chain = await engine.create({ accounts, others: OTHERS })
    await chain.mine()
    const [transfer] = transfers
    const target = OTHERS[ACCOUNTS / 2]
    const between: readonly (() => Promise<unknown>)[] = [
      async () => {},
      () => chain.request('hardhat_setBalance', [target, '0x5']),
      async () => {
        await chain.request('eth_sendRawTransaction', [transfer])
        await chain.mine()
      },
    ]
    const balances = () => Promise.all([target, recipient(0)].map((of) => balanceOf(chain, of)))
    const before = await balances()

    // On anvil a block takes a tenth of a second on such a state.
    const count = engine.inProcess ? PAIRS : PAIRS / 10
    for (const change of between) await pairs(chain, count, change)
    const means: number[] = []
    for (const change of between) means.push(await meanOfCalls(count, () => pairs(chain, 1, change)))
    // EDR's state is outside of the heap, anvil's in another process.
    const growth = engine.name === 'preseal' ? await growthOf(chain, between) : null

    const after = await balances()
    if (after.join() !== before.join()) throw new Error(`the balances are ${after}, not ${before}`)
    await chain.close()
    return [...means, growth]
  },
}

async function pairs(chain: EngineChain, count: number, change: () => Promise<unknown>): Promise<void> {
  for (let pair = 0; pair < count; pair++) {
    const id = await chain.request('evm_snapshot', [])
    await change()
    if ((await chain.request('evm_revert', [id])) !== true) throw new Error(`no return to ${id}`)
  }
}

function balanceOf(chain: EngineChain, address: string | undefined): Promise<unknown> {
  return chain.request('eth_getBalance', [address, 'latest'])
}

/** MiB of heap per 1,000 pairs of each kind. */
async function growthOf(chain: EngineChain, between: readonly (() => Promise<unknown>)[]): Promise<number> {
  const before = heapMiB()
  for (const change of between) await pairs(chain, FURTHER, change)
  return ((heapMiB() - before) * 1_000) / FURTHER
}

function heapMiB(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}
