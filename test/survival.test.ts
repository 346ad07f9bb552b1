/** What a return to a snapshot takes back leaves no trace: the chain is the one on which it never happened. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Chain, Hash, Hex } from '../src/index.ts'
import { FULL } from './full.ts'
import { startChain, type TestChain } from './harness.ts'
import { ask } from './rpc/scene.ts'
import { dump, LOGGING, sign } from './sequencer/support.ts'

type Operation =
  | {
      readonly kind: 'send'
      readonly from: number
      readonly nonce: number
      readonly logging: boolean
      readonly cap: bigint
    }
  | { readonly kind: 'tick' | 'seal' }
  | { readonly kind: 'advance'; readonly ms: number }
  | { readonly kind: 'ask'; readonly method: string; readonly params: readonly unknown[] }

type Step = Operation | { readonly kind: 'snapshot' } | { readonly kind: 'revert'; readonly to: number }

const cheat = (method: string, params: fc.Arbitrary<readonly unknown[]>): fc.Arbitrary<Operation> =>
  params.map((values) => ({ kind: 'ask', method, params: values }))

const START = 1_700_000_000
const CONTRACT = '0x00000000000000000000000000000000000c0de5'

/** The first dev accounts, two of which send. */
const account = fc.constantFrom(
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
)

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      from: fc.nat(2),
      nonce: fc.nat(4),
      logging: fc.boolean(),
      cap: fc.constantFrom(10n ** 8n, 10n ** 11n, 2n * 10n ** 11n),
    }),
  },
  { weight: 12, arbitrary: fc.constantFrom<Operation>({ kind: 'tick' }, { kind: 'seal' }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(5000) }) },
  cheat('evm_increaseTime', fc.tuple(fc.nat(10_000))),
  cheat('evm_setTime', fc.tuple(fc.integer({ min: START, max: START + 10_000 }))),
  cheat('evm_setNextBlockTimestamp', fc.tuple(fc.integer({ min: START, max: START + 10_000 }))),
  cheat('anvil_setBlockTimestampInterval', fc.tuple(fc.nat(20))),
  cheat('anvil_removeBlockTimestampInterval', fc.constant([])),
  cheat('anvil_setBalance', fc.tuple(account, fc.constantFrom('0', '1', `${10n ** 15n}`, `${10n ** 20n}`))),
  cheat('anvil_setNonce', fc.tuple(account, fc.nat(3))),
  cheat(
    'anvil_setCode',
    fc.tuple(fc.constant(CONTRACT), fc.constantFrom('0x', '0x6001', '0x60ff60006000a100')),
  ),
  cheat(
    'anvil_setStorageAt',
    fc.tuple(fc.constant(CONTRACT), fc.constantFrom('0x0', '0x1'), fc.constantFrom('0x0', '0x2')),
  ),
  cheat('anvil_setCoinbase', fc.tuple(account)),
  cheat('anvil_setNextBlockBaseFeePerGas', fc.tuple(fc.constantFrom(1, 10 ** 9, 10 ** 11))),
  cheat('anvil_setPrevRandao', fc.tuple(fc.constantFrom('0x1', '0x2'))),
  cheat('anvil_setBlockGasLimit', fc.tuple(fc.constantFrom(30_000, 30_000_000))),
  cheat('anvil_setMinGasPrice', fc.tuple(fc.constantFrom('0', `${10n ** 11n}`))),
  cheat('anvil_mine', fc.tuple(fc.nat(3), fc.nat(10))),
  cheat('anvil_removePoolTransactions', fc.tuple(account)),
  cheat('anvil_dropAllTransactions', fc.constant([])),
  { weight: 1, arbitrary: cheat('anvil_reset', fc.constant([])) },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: operation },
  { weight: 1, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revert' as const), to: fc.nat() }) },
)

/** Nobody is told of what an operation comes to but its answer, which is the same on both chains. */
async function perform(chain: TestChain, operation: Operation, sent: Set<Hash>): Promise<unknown> {
  switch (operation.kind) {
    case 'send': {
      const { from, nonce, cap, logging } = operation
      const raw = await sign(chain, { from, nonce, cap, ...(logging && LOGGING) })
      const answer = await ask(chain.preconf, 'eth_sendRawTransaction', [raw])
      if (/^0x/.test(String(answer))) sent.add(answer as Hash)
      return answer
    }
    case 'tick':
      return chain.tick()
    case 'seal':
      return chain.seal()
    case 'advance':
      return chain.clock.advance(operation.ms)
    case 'ask': {
      const answer = await ask(chain.preconf, operation.method, operation.params)
      // By how far the chain's time is ahead of the clock's, which nothing takes back.
      return ['evm_increaseTime', 'evm_setTime'].includes(operation.method) ? undefined : answer
    }
  }
}

/** All there is to be read, and what the chain does next. */
async function everything(chain: Chain, sent: ReadonlySet<Hash>): Promise<unknown> {
  const read = async () => {
    const stages = []
    for (const hash of sent) {
      for (const provider of [chain.standard, chain.preconf]) {
        stages.push(await ask(provider, 'chain_transactionStatus', [hash]))
        stages.push(await ask(provider, 'eth_getTransactionByHash', [hash]))
      }
    }
    const proofs = []
    for (const { address } of chain.accounts.slice(0, 3)) {
      proofs.push(await ask(chain.preconf, 'eth_getProof', [address, [], 'latest']))
      proofs.push(await ask(chain.preconf, 'eth_getProof', [address, [], 'pending']))
    }
    const slots = []
    for (const tag of ['latest', 'pending']) {
      slots.push(await ask(chain.preconf, 'eth_getCode', [CONTRACT, tag]))
      slots.push(await ask(chain.preconf, 'eth_getStorageAt', [CONTRACT, '0x1', tag]))
      slots.push(await ask(chain.standard, 'eth_getStorageAt', [CONTRACT, '0x1', tag]))
    }
    const fees = await ask(chain.preconf, 'eth_feeHistory', ['0x4', 'latest', [50]])
    return { views: await dump(chain), stages, proofs, slots, fees }
  }
  const now = await read()
  const next = [await chain.tick(), await chain.seal(), await chain.tick()]
  return { now, next, after: await read() }
}

async function survive(steps: readonly Step[]): Promise<void> {
  const chain = await startChain({}, {}, { skipHeaderValidation: true })
  const sent = new Set<Hash>()
  let surviving: { readonly operation: Operation; readonly answer: unknown; readonly at: number }[] = []
  const snapshots: { readonly id: Hex; readonly length: number }[] = []
  for (const one of steps) {
    if (one.kind === 'snapshot') {
      snapshots.push({ id: await chain.snapshot(), length: surviving.length })
    } else if (one.kind === 'revert') {
      if (snapshots.length === 0) continue
      snapshots.length = 1 + (one.to % snapshots.length)
      const { id, length } = snapshots.at(-1)!
      await chain.revert(id)
      surviving = surviving.slice(0, length)
    } else {
      const at = chain.clock.now()
      if (isReset(one)) snapshots.length = 0
      surviving.push({ operation: one, answer: await perform(chain, one, sent), at })
    }
  }
  const fresh = await startChain({}, {}, { skipHeaderValidation: true })
  for (const { operation, answer, at } of surviving) {
    // A reset goes by the clock, which nothing takes back.
    if (isReset(operation)) await fresh.clock.advance(at - fresh.clock.now())
    expect(await perform(fresh, operation, new Set()), JSON.stringify(operation, toText)).toEqual(answer)
  }
  expect(await everything(chain, sent)).toEqual(await everything(fresh, sent))
  await chain.finish()
  await fresh.finish()
}

function isReset(operation: Operation): boolean {
  return operation.kind === 'ask' && operation.method === 'anvil_reset'
}

function toText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}

it('any sequence leaves the chain equal to a fresh one on which only what survived ran', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), survive), {
    numRuns: FULL ? 300 : 15,
  })
})
