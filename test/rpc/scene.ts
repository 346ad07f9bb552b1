/** A chain with transactions at every stage, and helpers that send a request to both of its views. */
import {
  type Abi,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  keccak256,
  parseGwei,
} from 'viem'
import { PresealRpcError } from '../../src/base/errors.ts'
import type {
  ChainOptions,
  Hash,
  Hex,
  PreconfBlock,
  PresealChain,
  Provider,
  SealedBlock,
} from '../../src/index.ts'
import { Probe, Token } from '../contracts/artifacts.ts'
import type { TestChain } from '../harness.ts'
import type { OracleOptions } from '../oracle.ts'
import { signTransaction } from '../signing.ts'

/** The fields of a transaction to sign; omitted ones get defaults that every block accepts. */
export interface Draft {
  readonly nonce: number
  readonly to?: Hex
  readonly value?: bigint
  readonly data?: Hex
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  readonly gasPrice?: bigint
  readonly chainId?: number
}

/** Signs with dev account `index`: an EIP-1559 transaction, or a legacy one if a gas price is given. */
export function sign(chain: Pick<PresealChain, 'accounts'>, index: number, draft: Draft): Promise<Hex> {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, ...rest } = draft
  const common = { gas: 100_000n, chainId: 31337, ...rest }
  const { privateKey } = chain.accounts[index]!
  if (gasPrice !== undefined) return signTransaction(privateKey, { ...common, type: 'legacy', gasPrice })
  return signTransaction(privateKey, {
    ...common,
    type: 'eip1559',
    maxFeePerGas: maxFeePerGas ?? parseGwei('10'),
    maxPriorityFeePerGas: maxPriorityFeePerGas ?? parseGwei('1'),
  })
}

/** Signs and sends through `preconf`. */
export async function send(chain: TestChain, index: number, draft: Draft): Promise<Hash> {
  return chain.preconf.request({
    method: 'eth_sendRawTransaction',
    params: [await sign(chain, index, draft)],
  })
}

/** The answer of one provider: its result, or the error as text. Long data are replaced by length and hash. */
export async function ask(provider: Provider, method: string, params?: unknown): Promise<unknown> {
  try {
    return abbreviate(await provider.request(params === undefined ? { method } : { method, params }))
  } catch (error) {
    if (!(error instanceof PresealRpcError)) throw error
    const data = error.data === undefined ? '' : ` ${JSON.stringify(abbreviate(error.data))}`
    return `error ${error.code} ${error.message}${data}`
  }
}

/** Sends a request to the standard view, as most cheats are in tests. */
export const cheat = (chain: PresealChain, method: string, ...params: unknown[]): Promise<unknown> =>
  ask(chain.standard, method, params)

/** The answers of both views; a single one if they agree. */
export async function askBoth(chain: TestChain, method: string, params?: unknown): Promise<unknown> {
  const [standard, preconf] = await Promise.all([
    ask(chain.standard, method, params),
    ask(chain.preconf, method, params),
  ])
  const agree = JSON.stringify(standard) === JSON.stringify(preconf)
  return agree ? { both: standard } : { standard, preconf }
}

/** {@link askBoth} for several params, by name; a repeated long answer is replaced by the name of the first one. */
export async function askAll(
  chain: TestChain,
  method: string,
  calls: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  const names = new Map<string, string>()
  for (const [name, params] of Object.entries(calls)) {
    const answer = await askBoth(chain, method, params)
    const text = JSON.stringify(answer)
    const before = names.get(text)
    answers[name] = before === undefined ? answer : `as ${before}`
    if (before === undefined && text.length > 200) names.set(text, name)
  }
  return answers
}

/** A value with long data replaced by length and hash. */
export function abbreviate(value: unknown): unknown {
  if (typeof value === 'string' && /^0x[0-9a-f]{140,}$/.test(value)) {
    if (/^0x0+$/.test(value)) return `${value.length / 2 - 1} zero bytes`
    return `${value.length / 2 - 1} bytes, keccak256 ${keccak256(value as Hex).slice(0, 18)}`
  }
  if (Array.isArray(value)) return value.map(abbreviate)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, abbreviate(one)]))
}

/** A value with the fields of its objects in the order of their names. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(fields.map(([name, one]) => [name, sorted(one)]))
}

/** A chain with two sealed blocks, a preconf block, and waiting transactions. */
export interface Scene {
  readonly chain: TestChain
  readonly accounts: readonly Hex[]
  readonly token: Hex
  readonly probe: Hex
  /** Block 1: both contracts deployed, and a legacy transfer of 1 ether from account 1 to 2. */
  readonly first: SealedBlock
  /** Block 2: a transfer of 2 tokens from account 0 to 1. */
  readonly second: SealedBlock
  /** Block 3 at index 1, still without transactions. */
  readonly empty: PreconfBlock
  /** Block 3 at index 2: 5 tokens from 0 to 1, slot 7 of Probe set to 9, 3 ether from 1 to 2, a revert of 1. */
  readonly preconfBlock: PreconfBlock
  /** Executable, by account 2. */
  readonly waiting: Hash
  /** Behind a nonce gap, by account 3. */
  readonly queued: Hash
}

const ETHER = 10n ** 18n

/** `finality` is 1 and 2 blocks, so that every tag names a different block. */
export const SCENE_OPTIONS = { finality: { safe: 1, finalized: 2 } } as const satisfies ChainOptions

/** Builds the scene on a new chain with {@link SCENE_OPTIONS}. */
export async function startScene(
  options: ChainOptions = {},
  oracleOptions: OracleOptions = {},
): Promise<Scene> {
  // Loaded here, since the examples of the documentation build scenes outside of tests.
  const { startChain } = await import('../harness.ts')
  return buildScene(await startChain({ ...SCENE_OPTIONS, ...options }, {}, oracleOptions))
}

/** Builds the scene on a new chain in `manual` mining. */
export async function buildScene(chain: TestChain): Promise<Scene> {
  const accounts = chain.accounts.map(({ address }) => address)
  const [alice, bob, carol] = accounts as [Hex, Hex, Hex]
  const addressAt = (nonce: bigint) => getContractAddress({ from: alice, nonce }).toLowerCase() as Hex
  const [token, probe] = [addressAt(0n), addressAt(1n)]

  await send(chain, 0, { nonce: 0, data: encodeDeployData(Token), gas: 2_000_000n })
  await send(chain, 0, { nonce: 1, data: encodeDeployData(Probe), gas: 3_000_000n })
  await send(chain, 1, { nonce: 0, to: carol, value: ETHER, gasPrice: parseGwei('3') })
  const first = await chain.seal()
  await chain.clock.advance(2000)
  await send(chain, 0, { nonce: 2, to: token, data: tokenCall('transfer', [bob, 2n]) })
  const second = await chain.seal()
  await chain.clock.advance(2000)
  const empty = await chain.tick()
  await send(chain, 0, { nonce: 3, to: token, data: tokenCall('transfer', [bob, 5n]) })
  await send(chain, 0, { nonce: 4, to: probe, data: probeCall('set', [7n, 9n]) })
  await send(chain, 1, { nonce: 1, to: carol, value: 3n * ETHER })
  await send(chain, 1, { nonce: 2, to: probe, data: probeCall('fail') })
  const preconfBlock = await chain.tick()
  const waiting = await send(chain, 2, { nonce: 0, to: alice, value: 1n })
  const queued = await send(chain, 3, { nonce: 1, to: alice, value: 2n })
  return { chain, accounts, token, probe, first, second, empty, preconfBlock, waiting, queued }
}

/** Calldata for Token. */
export function tokenCall(functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi: Token.abi as Abi, functionName, args })
}

/** Calldata for Probe. */
export function probeCall(functionName: string, args: readonly unknown[] = []): Hex {
  return encodeFunctionData({ abi: Probe.abi as Abi, functionName, args })
}

/** A hash of no block and no transaction. */
export const UNKNOWN: Hash = `0x${'ab'.repeat(32)}`

/** The params for each number and tag of a block. */
export function positions(params: (block: unknown) => unknown): Record<string, unknown> {
  const blocks = ['earliest', 'finalized', 'safe', 'latest', 'pending', '0x1', '0x2', '0x3', '0x4']
  return Object.fromEntries(blocks.map((block) => [block, params(block)]))
}

/** The params for every form of a block parameter. */
export function blockForms(
  { first, empty, preconfBlock }: Scene,
  params: (block: unknown) => unknown,
): Record<string, unknown> {
  const { hash } = first.block
  return {
    ...positions(params),
    'hash of block 1': params(hash),
    'EIP-1898 hash': params({ blockHash: hash }),
    'EIP-1898 canonical hash': params({ blockHash: hash, requireCanonical: true }),
    'EIP-1898 number': params({ blockNumber: '0x1' }),
    'hash of the preconf block': params(preconfBlock.block.hash),
    'hash of the preconf block before': params(empty.block.hash),
    'unknown hash': params(UNKNOWN),
  }
}
