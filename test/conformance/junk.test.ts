import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Dialect, Hash, ViewKind } from '../../src/base/types.ts'
import { createChain, createManualClock, type PresealChain, type Provider } from '../../src/index.ts'
import { DIALECTS, type DialectRules } from '../../src/rpc/dialect.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { runs } from '../full.ts'
import { isDevMethod } from '../rpc/devMethods.ts'
import { edit, freeze, junk, mutate } from '../rpc/mutations.ts'
import { EXECUTION_APIS } from './served.ts'
import { type Answer, ask, type Vector, VectorFolder, type VectorRequest } from './vectors.ts'

const RUNS = runs(60, 5000)
const name = `${RUNS.numRuns} mutations of their requests end in a result or an error that is not its own fault`

describe('unusable vectors', async () => {
  if (EXECUTION_APIS === undefined) {
    it.skip(`${name}: PRESEAL_VECTORS names no folder`, () => {})
  } else {
    const { vectors, chain: options } = await VectorFolder.open(EXECUTION_APIS)
    const valid = vectors.flatMap(({ exchanges }) => exchanges.map(({ request }) => request))

    it.each<[Dialect, ViewKind]>([
      ['geth', 'standard'],
      ['preconf', 'preconf'],
    ])(`${name}: in the dialect %s on %s`, async (dialect, view) => {
      const chain = await createChain({
        ...options,
        mining: 'manual',
        clock: createManualClock(),
        blobs: true,
        dialect,
        // A call may request any amount of gas, so this limit keeps it cheap.
        limits: { gasCap: 500_000n },
      })
      const faults: Error[] = []
      chain.on('error', (error) => faults.push(error))
      const before = await readAll(chain[view], vectors)
      const sent = new Set<Hash>()
      const counts = { results: 0, rejected: 0 }

      const check = async (request: unknown): Promise<void> => {
        const answer = await ask(chain[view], freeze(request) as VectorRequest)
        if ('error' in answer) {
          counts.rejected += 1
          if (!isProper(answer.error.code, DIALECTS[dialect]))
            expect(answer).toBe('an error with a proper code')
          return
        }
        counts.results += 1
        expect(answer.result).not.toBe(undefined)
        if (isSend(request)) sent.add(answer.result as Hash)
      }
      await fc.assert(fc.asyncProperty(mutations(valid), check), { ...RUNS, endOnFailure: true })

      expect(faults).toEqual([])
      expect(counts.results).toBeGreaterThan(RUNS.numRuns / 10)
      expect(counts.rejected).toBeGreaterThan(RUNS.numRuns / 10)
      expect(await readAll(chain[view], vectors)).toEqual(before)
      expect(await waitingHashes(chain)).toEqual([...sent].sort())
      await chain.close()
    })
  }
})

/** Requests unchanged, with one or two changed params, with another method, or not a request at all. */
function mutations(valid: readonly VectorRequest[]): fc.Arbitrary<unknown> {
  // Cheats change the chain, and a wait for a receipt would never end under the manual clock.
  const names = Object.keys(METHODS).filter((name) => !isDevMethod(name) && !name.endsWith('Sync'))
  const changed = fc
    .tuple(fc.constantFrom(...valid), fc.array(edit, { minLength: 1, maxLength: 2 }))
    .map(([{ method, params }, edits]) => ({ method, params: edits.reduce<unknown>(mutate, params ?? []) }))
  const other = fc
    .tuple(fc.constantFrom(...valid), fc.oneof(fc.constantFrom(...names), fc.string()))
    .map(([{ params }, method]) => ({ method, params }))
  return fc.oneof(
    { weight: 8, arbitrary: changed },
    { weight: 1, arbitrary: other },
    { weight: 1, arbitrary: fc.oneof(junk, fc.record({ method: junk, params: junk })) },
  )
}

/**
 * A code of JSON-RPC, of EIP-1193 for unauthorised accounts, of EIP-5792 for batches, or of go-ethereum; -32603 only
 * if the dialect's table has it, as in go-ethereum.
 */
function isProper(code: number, { codes, simulation }: DialectRules): boolean {
  if ([3, 4100, 4902, -32000, -32600, -32601, -32602].includes(code)) return true
  if (code >= 5700 && code <= 5760) return true
  if (code !== -32603) return code <= -38010 && code >= -38026
  return [...codes.values(), ...(simulation.refusals?.values() ?? [])].includes(code)
}

function isSend(request: unknown): boolean {
  return (request as Partial<VectorRequest> | null)?.method === 'eth_sendRawTransaction'
}

/** The answers of all vectors that only read. */
async function readAll(provider: Provider, vectors: readonly Vector[]): Promise<Record<string, Answer[]>> {
  const answers: Record<string, Answer[]> = {}
  for (const { name, exchanges } of vectors) {
    answers[name] = []
    for (const { request } of exchanges) {
      if (!isSend(request)) answers[name].push(await ask(provider, request))
    }
  }
  return answers
}

/** Hashes of the waiting transactions, sorted. */
async function waitingHashes({ standard }: PresealChain): Promise<string[]> {
  const { pending, queued } = await standard.request({ method: 'txpool_content' })
  const waiting = [pending, queued].flatMap((part) => Object.values(part)) as Record<string, { hash: Hash }>[]
  return waiting.flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash)).sort()
}
