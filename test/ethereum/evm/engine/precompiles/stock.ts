/** Runs precompiles in stock @ethereumjs and in the engine, on every hardfork. */
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, type EVM } from '@ethereumjs/evm'
import type { KZG } from '@ethereumjs/util'
import fc from 'fast-check'
import { bytesToHex } from '../../../../../src/base/bytes.ts'
import { loadCrypto } from '../../../../../src/base/crypto/crypto.ts'
import type { Hex } from '../../../../../src/base/types.ts'
import { whenLoaded } from '../../../../../src/base/waiting.ts'
import { Halt } from '../../../../../src/ethereum/evm/engine/message.ts'
import type { InParts, Precompile } from '../../../../../src/ethereum/evm/engine/precompiles/precompile.ts'
import { precompilesByAddress } from '../../../../../src/ethereum/evm/engine/precompiles/precompiles.ts'
import type { ForkRules } from '../../../../../src/ethereum/forks.ts'
import { forkRules } from '../../../../../src/ethereum/rules.ts'
import { blobProver } from '../../../../blobs.ts'
import { STOCK_FORKS } from '../../../../forks.ts'

/** A hardfork, and what both have at its addresses. */
export interface ForkCase {
  readonly name: string
  readonly fork: ForkRules
  readonly precompiles: ReadonlyMap<number, Precompile>
  readonly stock: EVM
}

/** What a precompile gave: gas and output, or nothing but the failure, which takes all gas. */
export type Outcome = { readonly gas: number; readonly output: Hex } | 'failure'

/** Enough for most inputs of these tests, and little enough for stock code to compute the others soon. */
const GAS_LIMIT = 5_000_000

/** The hardforks with rules of their own, Frontier to Osaka. */
export async function forkCases(): Promise<readonly ForkCase[]> {
  const crypto = await loadCrypto()
  const hardforks = [Hardfork.Chainstart, ...STOCK_FORKS] as Hardfork[]
  return Promise.all(
    hardforks.map(async (hardfork): Promise<ForkCase> => {
      const kzg = blobProver() as unknown as KZG
      const common = new Common({ chain: Mainnet, hardfork, customCrypto: { kzg } })
      const stock = await createEVM({ common })
      const fork = forkRules(hardfork)
      return { name: hardfork, fork, precompiles: precompilesByAddress(fork, crypto), stock }
    }),
  )
}

/** What stock @ethereumjs gives. */
export async function stockOutcome({ stock }: ForkCase, at: number, data: Uint8Array): Promise<Outcome> {
  const precompile = stock.precompiles.get(at.toString(16).padStart(40, '0'))!
  const gasLimit = BigInt(GAS_LIMIT)
  const { executionGasUsed, returnValue, exceptionError } = await precompile({
    data,
    gasLimit,
    common: stock.common,
    _EVM: stock,
  })
  return exceptionError === undefined
    ? { gas: Number(executionGasUsed), output: bytesToHex(returnValue) }
    : 'failure'
}

/** What a computation results in. @param onPart - called after each part but the last. */
export function toEnd<Result>(computation: InParts<Result>, onPart: () => void = () => {}): Result {
  for (;;) {
    const { done, value } = computation.next()
    if (done === true) return value
    onPart()
  }
}

function outputOf(precompile: Precompile, input: Uint8Array): Uint8Array {
  const run = precompile.run(input)
  return run instanceof Uint8Array ? run : toEnd(run)
}

/** What the engine gives; it must not alter the input, nor give a part of it. */
export async function outcome({ precompiles }: ForkCase, at: number, data: Uint8Array): Promise<Outcome> {
  const precompile = precompiles.get(at)!
  // As a part of memory that begins at an odd index.
  const memory = new Uint8Array(data.length + 6).fill(0xee)
  memory.set(data, 3)
  const before = bytesToHex(memory)
  const input = memory.subarray(3, 3 + data.length)
  const gas = precompile.gas(input)
  if (gas > GAS_LIMIT) return 'failure'
  try {
    const output = await whenLoaded(() => outputOf(precompile, input))
    if (bytesToHex(memory) !== before) throw new Error('the input was altered')
    if (output.buffer === memory.buffer) throw new Error('the output is a part of the input')
    return { gas, output: bytesToHex(output) }
  } catch (error) {
    if (error instanceof Halt) return 'failure'
    throw error
  }
}

/** Why the engine refuses the input; undefined if it does not. */
export async function refusal(
  precompiles: ForkCase['precompiles'],
  at: number,
  input: Uint8Array,
): Promise<string | undefined> {
  try {
    await whenLoaded(() => outputOf(precompiles.get(at)!, input))
    return undefined
  } catch (error) {
    if (error instanceof Halt) return error.reason
    throw error
  }
}

/** The bytes, or a variation: shorter, longer, with another byte, or with a part that is zero or all ones. */
export function variationsOf(valid: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  const change = fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('grow' as const), at: fc.nat(40) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('set' as const), at: fc.nat(), byte: fc.nat(255) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('fill' as const),
        at: fc.nat(),
        length: fc.constantFrom(16, 32, 64, 128),
        byte: fc.constantFrom(0, 0xff),
      }),
    },
  )
  return fc.tuple(valid, change).map(([bytes, how]) => {
    if (how === undefined) return bytes
    if (how.kind === 'cut') return bytes.slice(0, how.at % (bytes.length + 1))
    const changed = new Uint8Array(bytes.length + (how.kind === 'grow' ? how.at : 0))
    changed.set(bytes)
    if (how.kind === 'grow' || bytes.length === 0) return changed
    if (how.kind === 'set') changed[how.at % bytes.length] = how.byte
    else {
      // At a boundary of the fields, which have 16 bytes or a multiple.
      const start = 16 * (how.at % Math.ceil(bytes.length / 16))
      changed.fill(how.byte, start, start + how.length)
    }
    return changed
  })
}
