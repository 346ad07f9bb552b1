/** Contracts of real size on a fork: the same calls, gas, receipts, logs and storage as on the chain that it continues. */
import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256 } from 'viem'
import { describe, expect, it } from 'vitest'
import { createManualClock, type PresealRpcReceipt } from '../../../src/index.ts'
import {
  Collection,
  Council,
  Exchange,
  Factory,
  Ladder,
  Pool,
  Token,
  UpgradeableProxy,
} from '../../contracts/artifacts.ts'
import { startChain, type TestChain, viemOn } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { memoryLevel } from '../ledger/failingDatabase.ts'
import { between, forkOf } from './remoteChain.ts'

/** A transaction of an account, by its index, to a contract, by its name. */
interface Step {
  readonly from: number
  readonly to: string
  readonly abi: readonly unknown[]
  readonly call: string
  readonly args: readonly unknown[]
  readonly value?: bigint
}

interface World {
  readonly chain: TestChain
  readonly at: Readonly<Record<string, Hex>>
}

const GAS = 1_500_000n

/** Deploys all contracts on a chain, and uses some of them. */
async function startWorld(): Promise<World> {
  const chain = await startChain()
  const { public: client, wallet } = viemOn(chain)
  const at: Record<string, Hex> = {}
  const deploy = async (name: string, contract: object, args: readonly unknown[] = []): Promise<void> => {
    const hash = await wallet(0).deployContract({ ...contract, args, gas: 5_000_000n } as never)
    await chain.seal()
    at[name] = (await client.getTransactionReceipt({ hash })).contractAddress!
  }
  await deploy('first', Token)
  await deploy('second', Token)
  await deploy('exchange', Exchange)
  await deploy('pool', Pool, [at['first'], at['second']])
  await deploy('collection', Collection)
  await deploy('proxied', UpgradeableProxy, [at['collection']])
  await deploy('council', Council, [at['proxied'], 2n])
  await deploy('factory', Factory)
  await deploy('ladder', Ladder)
  const world = { chain, at }
  await perform(world, firstBlocks(world))
  return world
}

const step = (
  from: number,
  to: string,
  { abi }: { readonly abi: readonly unknown[] },
  call: string,
  ...args: readonly unknown[]
): Step => ({ from, to, abi, call, args })

const firstBlocks = ({ at, chain }: World): readonly (readonly Step[])[] => [
  [
    step(0, 'first', Token, 'transfer', at['pool'], 10n ** 20n),
    step(0, 'second', Token, 'transfer', at['pool'], 10n ** 20n),
    step(0, 'first', Token, 'approve', at['exchange'], 10n ** 19n),
  ],
  [step(0, 'pool', Pool, 'sync'), step(0, 'exchange', Exchange, 'add', at['pool'])],
  [1, 2, 3, 1, 2, 1].map((owner) =>
    step(owner, 'proxied', Collection, 'mint', chain.accounts[owner]!.address),
  ),
  [1, 2, 3].map((owner) => step(owner, 'proxied', Collection, 'delegate', chain.accounts[owner]!.address)),
  [step(0, 'ladder', Ladder, 'add', 10n, 8n)],
]

/** What happens after the fork, block by block. */
function laterBlocks({ at, chain }: World): readonly (readonly Step[])[] {
  const owner = (i: number) => chain.accounts[i]!.address
  const data = encodeFunctionData({ ...Council, functionName: 'setQuorum', args: [1n] })
  const proposal = [[at['council']], [0n], [data], 'A smaller quorum']
  const id = idOf(proposal)
  return [
    [
      step(0, 'exchange', Exchange, 'swap', 10n ** 18n, [at['first'], at['second']]),
      step(1, 'council', Council, 'propose', ...proposal),
      step(1, 'proxied', Collection, 'approve', owner(4), 1n),
    ],
    [
      step(4, 'proxied', Collection, 'transferFrom', owner(1), owner(3), 1n),
      step(5, 'proxied', Collection, 'transferFrom', owner(2), owner(5), 2n),
      step(1, 'council', Council, 'vote', id, true),
    ],
    [
      step(1, 'council', Council, 'vote', id, true),
      step(2, 'council', Council, 'vote', id, true),
      step(3, 'council', Council, 'vote', id, false),
      step(6, 'council', Council, 'vote', id, true),
      step(0, 'ladder', Ladder, 'take', 55n),
    ],
    [
      step(6, 'council', Council, 'execute', ...proposal),
      step(6, 'council', Council, 'execute', ...proposal),
      step(2, 'factory', Factory, 'create2', `0x${'07'.repeat(32)}`, 5n),
      step(2, 'factory', Factory, 'create2', `0x${'07'.repeat(32)}`, 5n),
      step(0, 'ladder', Ladder, 'take', 10n ** 6n),
    ],
  ]
}

function idOf(proposal: readonly unknown[]): Hex {
  const types = [{ type: 'address[]' }, { type: 'uint256[]' }, { type: 'bytes[]' }, { type: 'string' }]
  return keccak256(encodeAbiParameters(types, proposal as never))
}

/** Sends the transactions of each block, and seals it. @returns what they did, and what calls of them said before. */
async function perform({ chain, at }: World, blocks: readonly (readonly Step[])[]): Promise<unknown[]> {
  const { wallet } = viemOn(chain)
  const facts: unknown[] = []
  for (const steps of blocks) {
    const touched = new Map<Hex, Set<Hex>>()
    for (const { from, to, abi, call, args } of steps) {
      const data = encodeFunctionData({ abi, functionName: call, args } as never)
      const request = { from: chain.accounts[from]!.address, to: at[to]!, data }
      for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList']) {
        facts.push([call, method, await ask(chain.preconf, method, [request, 'pending'])])
      }
      const list = facts.at(-1) as [string, string, { accessList?: { address: Hex; storageKeys: Hex[] }[] }]
      for (const { address, storageKeys } of list[2].accessList ?? []) {
        const slots = touched.get(address) ?? new Set()
        for (const slot of storageKeys) slots.add(slot)
        touched.set(address, slots)
      }
      const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n }
      await wallet(from).sendTransaction({ to: at[to]!, data, gas: GAS, ...fees } as never)
    }
    const { block } = await chain.seal()
    const receipts = (await ask(chain.standard, 'eth_getBlockReceipts', [
      block.number,
    ])) as PresealRpcReceipt[]
    facts.push(
      receipts.map(({ blockHash: _, logs, ...rest }) => [
        rest,
        logs.map(({ blockHash: _hash, ...log }) => log),
      ]),
    )
    for (const [address, slots] of touched) {
      for (const slot of slots) {
        facts.push([address, slot, await ask(chain.standard, 'eth_getStorageAt', [address, slot, 'latest'])])
      }
    }
  }
  return facts
}

describe('contracts on a fork', () => {
  it('do the same as on the chain that it continues, however their state is read', async () => {
    const world = await startWorld()
    const { chain: original } = world
    const start = original.clock.now()
    const head = ((await ask(original.standard, 'eth_getBlockByNumber', ['latest', false])) as { hash: Hex })
      .hash
    const expected = await perform(world, laterBlocks(world))
    const receipts = expected.filter((fact) => Array.isArray((fact as unknown[])[0])).flat() as [
      PresealRpcReceipt,
    ][]
    expect(receipts.map(([{ status }]) => status).join()).toBe(
      '0x1,0x1,0x1,0x1,0x0,0x1,0x0,0x1,0x1,0x0,0x1,0x1,0x0,0x1,0x1,0x0',
    )
    const cache = memoryLevel()
    const withoutLists = between(original.preconf, ({ method }) => {
      if (method === 'eth_createAccessList')
        throw Object.assign(new Error('no such method'), { code: -32601 })
    })
    const forks = {
      plain: { provider: original.preconf, cache },
      'from the cache alone': { cache, offline: true },
      verified: { provider: original.preconf, cache: memoryLevel(), verify: true },
      'without access lists': { provider: withoutLists.provider, cache: memoryLevel() },
    }
    for (const [name, fork] of Object.entries(forks)) {
      const chain = (await forkOf(original.preconf, {
        clock: createManualClock(start),
        accounts: original.accounts,
        fork: { time: 'clock', block: head, provider: undefined, ...fork } as never,
      })) as TestChain
      expect([name, await perform({ ...world, chain }, laterBlocks(world))]).toEqual([name, expected])
      await chain.close()
    }
  })
})
