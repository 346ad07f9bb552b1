/** A chain with two Nest contracts, for tests of tracers. */
import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress } from 'viem'
import type { DebugTrace } from '../../../src/core/trace/shapes.ts'
import type { ChainOptions, Hash, Hex } from '../../../src/index.ts'
import { Nest } from '../../contracts/artifacts.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { type Draft, send } from '../../rpc/scene.ts'

/** The beneficiary of selfdestructs. */
export const HEIR: Hex = '0x00000000000000000000000000000000000e1dad'

/** Calldata for Nest. */
export function nestCall(functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi: Nest.abi as Abi, functionName, args })
}

/** Block 1 has the two Nests; account 0 created them, and sends the later transactions. */
export interface Nests {
  readonly chain: TestChain
  readonly nest: Hex
  readonly other: Hex
  readonly sender: Hex
  /** Sends a transaction to the first Nest, by default with 3,000,000 gas. */
  send(functionName: string, args?: readonly unknown[], draft?: Partial<Draft>): Promise<Hash>
  /** Sends one, and seals it. */
  seal(functionName: string, args?: readonly unknown[], draft?: Partial<Draft>): Promise<Hash>
  /** Sends a creation with 200,000 gas, and seals it. */
  create(data: Hex, draft?: Partial<Draft>): Promise<Hash>
  /** The trace of a transaction on the standard view. */
  trace(hash: Hash, options?: object): Promise<DebugTrace>
}

/** Starts the chain. */
export async function startNests(options: ChainOptions = {}): Promise<Nests> {
  const chain = await startChain(options)
  const sender = chain.accounts[0]!.address
  const addressAt = (nonce: bigint) => getContractAddress({ from: sender, nonce }).toLowerCase() as Hex
  const [nest, other] = [addressAt(0n), addressAt(1n)]
  const data = encodeDeployData({ abi: Nest.abi, bytecode: Nest.bytecode })
  await send(chain, 0, { nonce: 0, data, gas: 3_000_000n })
  await send(chain, 0, { nonce: 1, data, gas: 3_000_000n })
  await chain.seal()
  let nonce = 2
  const nests: Nests = {
    chain,
    nest,
    other,
    sender,
    send: (functionName, args = [], draft = {}) => {
      const call = { to: nest, data: nestCall(functionName, args), gas: 3_000_000n }
      return send(chain, 0, { ...call, ...draft, nonce: nonce++ })
    },
    async seal(...call) {
      const hash = await nests.send(...call)
      await chain.seal()
      return hash
    },
    async create(data, draft) {
      const hash = await send(chain, 0, { data, gas: 200_000n, ...draft, nonce: nonce++ })
      await chain.seal()
      return hash
    },
    trace: (hash, traceOptions = {}) =>
      chain.standard.request({
        method: 'debug_traceTransaction',
        params: [hash, traceOptions],
      }) as Promise<DebugTrace>,
  }
  return nests
}
