/** What a return to a snapshot takes back leaves no trace: the chain is the one on which it never happened. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hexToBytes } from '../src/bytes.ts'
import type { Hash, Hex } from '../src/index.ts'
import { FULL } from './full.ts'
import { startChain, type TestChain } from './harness.ts'
import { CONTRACT, depthOf, type Operation, operation, perform, STRANGER } from './operations.ts'
import { ask } from './rpc/scene.ts'
import { dump } from './sequencer/support.ts'

type Step =
  | Operation
  | { readonly kind: 'reset' | 'snapshot' }
  | { readonly kind: 'automine'; readonly on: boolean }
  | { readonly kind: 'revert'; readonly to: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 50, arbitrary: operation },
  { weight: 10, arbitrary: fc.constant({ kind: 'snapshot' as const }) },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('revert' as const), to: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('automine' as const), on: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'reset' as const }) },
)

/** What happened for good. */
type Survivor =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly answer: unknown }
  /** A reset goes by the clock, which nothing takes back. */
  | { readonly kind: 'reset'; readonly at: number }
  | { readonly kind: 'automine'; readonly on: boolean }

interface Taken {
  readonly id: Hex
  /** How many operations had survived by then. */
  readonly survivors: number
  readonly automine: boolean
  readonly head: number
  /** Whether its block was withdrawn by something else than a return. */
  gone: boolean
}

async function survive(steps: readonly Step[]): Promise<void> {
  const chain = await startChain({}, {}, { skipHeaderValidation: true })
  let survivors: Survivor[] = []
  const snapshots: Taken[] = []
  const seen = new Set<Hash>()
  let automine = false
  for (const one of steps) {
    switch (one.kind) {
      case 'snapshot': {
        const id = await chain.snapshot()
        snapshots.push({ id, survivors: survivors.length, automine, head: await headOf(chain), gone: false })
        break
      }
      case 'revert': {
        const taken = snapshots[one.to % snapshots.length]
        if (taken === undefined) break
        if (taken.gone) {
          await expect(chain.revert(taken.id)).rejects.toThrow('state not available')
          break
        }
        snapshots.length = snapshots.indexOf(taken) + 1
        await chain.revert(taken.id)
        survivors = survivors.slice(0, taken.survivors)
        // How blocks are made is none of what a snapshot covers (design, decision 55).
        if (automine !== taken.automine) survivors.push({ kind: 'automine', on: automine })
        break
      }
      case 'reset':
        await chain.standard.request({ method: 'anvil_reset' })
        snapshots.length = 0
        survivors.push({ kind: 'reset', at: chain.clock.now() })
        break
      case 'automine':
        await chain.standard.request({ method: 'anvil_setAutomine', params: [one.on] })
        automine = one.on
        survivors.push(one)
        break
      default: {
        const head = await headOf(chain)
        const answer = await perform(chain, one)
        hashesIn(answer, seen)
        const isDone = !/^error/.test(String(answer)) || one.kind === 'importAgain'
        const fork = isDone && depthOf(one) <= head ? head - depthOf(one) : head
        for (const taken of snapshots) taken.gone ||= taken.head > fork
        survivors.push({ kind: 'operation', operation: one, answer })
      }
    }
  }
  const fresh = await startChain({}, {}, { skipHeaderValidation: true })
  for (const survivor of survivors) await repeat(fresh, survivor)
  expect(await everything(chain, seen)).toEqual(await everything(fresh, seen))
  await chain.finish()
  await fresh.finish()
}

async function repeat(fresh: TestChain, survivor: Survivor): Promise<void> {
  switch (survivor.kind) {
    case 'operation': {
      const { operation, answer } = survivor
      return expect(await perform(fresh, operation), JSON.stringify(operation, toText)).toEqual(answer)
    }
    case 'reset':
      await fresh.clock.advance(survivor.at - fresh.clock.now())
      await fresh.standard.request({ method: 'anvil_reset' })
      return
    case 'automine':
      await fresh.standard.request({ method: 'anvil_setAutomine', params: [survivor.on] })
  }
}

/** All there is to be read, and what the chain does next. @param seen - hashes of blocks and transactions. */
async function everything(chain: TestChain, seen: ReadonlySet<Hash>): Promise<unknown> {
  const read = async () => ({
    views: await dump(chain),
    byHash: await Promise.all([...seen].map((hash) => hashReads(chain, hash))),
    accounts: await accountReads(chain),
    traces: [
      await ask(chain.preconf, 'debug_traceBlockByNumber', ['latest', { tracer: 'callTracer' }]),
      await ask(chain.preconf, 'debug_traceBlockByNumber', ['pending', { tracer: 'callTracer' }]),
      await ask(chain.standard, 'trace_block', ['latest']),
    ],
    fees: await ask(chain.preconf, 'eth_feeHistory', ['0x4', 'latest', [50]]),
    node: await ask(chain.preconf, 'anvil_nodeInfo'),
    signers: await ask(chain.preconf, 'eth_accounts'),
    state: await stateOf(chain),
  })
  const now = await read()
  const next = [await chain.tick(), await chain.seal(), await chain.tick()]
  return { now, next, after: await read() }
}

/** What may be a block or a transaction, on both views. */
async function hashReads(chain: TestChain, hash: Hash): Promise<unknown> {
  const reads = []
  for (const provider of [chain.standard, chain.preconf]) {
    reads.push(
      await ask(provider, 'eth_getBlockByHash', [hash, false]),
      await ask(provider, 'chain_transactionStatus', [hash]),
      await ask(provider, 'eth_getTransactionByHash', [hash]),
      await ask(provider, 'eth_getTransactionReceipt', [hash]),
      await ask(provider, 'debug_traceTransaction', [hash, { tracer: 'callTracer' }]),
    )
  }
  return [hash, reads]
}

async function accountReads(chain: TestChain): Promise<unknown> {
  const reads = []
  for (const tag of ['latest', 'pending']) {
    for (const { address } of chain.accounts.slice(0, 3)) {
      reads.push(await ask(chain.preconf, 'eth_getProof', [address, [], tag]))
    }
    for (const provider of [chain.standard, chain.preconf]) {
      reads.push(
        await ask(provider, 'eth_getCode', [CONTRACT, tag]),
        await ask(provider, 'eth_getStorageAt', [CONTRACT, '0x1', tag]),
        await ask(provider, 'eth_getStorageAt', [CONTRACT, '0x0', tag]),
        await ask(provider, 'eth_getBalance', [STRANGER, tag]),
        await ask(provider, 'eth_getTransactionCount', [STRANGER, tag]),
        await ask(provider, 'eth_call', [{ from: STRANGER, to: CONTRACT }, tag]),
      )
    }
  }
  return reads
}

/** All accounts at the head; their order tells nothing. */
async function stateOf(chain: TestChain): Promise<unknown> {
  const zipped = hexToBytes(await chain.standard.request({ method: 'anvil_dumpState' }))
  const plain = new Blob([zipped as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'))
  return new Response(plain).json()
}

async function headOf(chain: TestChain): Promise<number> {
  return Number(await chain.standard.request({ method: 'eth_blockNumber' }))
}

/** Notes the hashes of an answer, wherever it has them. */
function hashesIn(answer: unknown, seen: Set<Hash>): void {
  if (typeof answer === 'string' && /^0x[0-9a-f]{64}$/.test(answer)) seen.add(answer as Hash)
  if (typeof answer !== 'object' || answer === null || !('block' in answer)) return
  const { hash, transactions } = answer.block as { hash: Hash; transactions: readonly { hash: Hash }[] }
  for (const one of [hash, ...transactions.map((transaction) => transaction.hash)]) seen.add(one)
}

function toText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}

it('any sequence leaves the chain equal to a fresh one on which only what survived ran', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), survive), {
    numRuns: FULL ? 300 : 15,
  })
}, 300_000)
