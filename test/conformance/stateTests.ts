/**
 * State tests in the format of ethereum/tests: accounts, one transaction, and the state root and logs it must give.
 *
 * Run through the executor, the layered state and the tries, from the transaction's bytes.
 */
import { createBlockHeader } from '@ethereumjs/block'
import { type Crypto, loadCrypto } from '../../src/crypto/crypto.ts'
import { commonOf } from '../../src/evm/ethereumjs/common.ts'
import { createEthereumjsEngine } from '../../src/evm/ethereumjs/engine.ts'
import { ALL_CHECKS, type BlockEnv, type Executor, executeLoaded } from '../../src/evm/executor.ts'
import { createExecutor } from '../../src/evm/transition.ts'
import { decodeTransaction } from '../../src/import/decodeTransaction.ts'
import { bytesToHex, hexToBytes } from '../../src/primitives/bytes.ts'
import { PresealRpcError } from '../../src/primitives/errors.ts'
import { encodeRlp } from '../../src/primitives/rlp.ts'
import type { Address, Hash, Hex } from '../../src/primitives/types.ts'
import type { Log } from '../../src/protocol/block.ts'
import { createChainRules, hardforkConfig, type Rules } from '../../src/protocol/rules.ts'
import type { Transaction } from '../../src/protocol/transaction.ts'
import { Overlay } from '../../src/state/overlay.ts'
import { type StateTrie, stateRoot, updateStateTrie } from '../../src/state/stateTrie.ts'
import { WorldState } from '../../src/state/worldState.ts'
import { type Folder, readJson } from './folder.ts'

/** The fork whose results are compared. */
const FORK = 'cancun'
const POST = 'Cancun'

/** The base fee for files without one, which were written for older forks. */
export const BASE_FEE = '0x0a'

/** One test of a file: a block context, accounts, and the transactions that are executed on them. */
export interface StateTest {
  /** Such as `stExample/add11.json add11`. */
  readonly name: string
  readonly env: StateTestEnv
  readonly pre: Readonly<Record<Address, PreAccount>>
  readonly cases: readonly StateTestCase[]
}

/** One transaction of a test. */
export interface StateTestCase {
  /** Such as `stExample/add11.json add11 d0g0v0`. */
  readonly name: string
  /** The signed transaction. */
  readonly txbytes: Hex
  /** The expected state root. */
  readonly hash: Hash
  /** keccak256 of the RLP of the logs. */
  readonly logs: Hash
  /** Why it must be rejected; absent if it is valid. */
  readonly expectException?: string
}

interface PreAccount {
  readonly balance: Hex
  readonly code: Hex
  readonly nonce: Hex
  readonly storage: Readonly<Record<Hex, Hex>>
}

interface StateTestEnv {
  readonly currentCoinbase: Address
  readonly currentNumber: Hex
  readonly currentTimestamp: Hex
  readonly currentGasLimit: Hex
  readonly currentDifficulty: Hex
  readonly currentBaseFee?: Hex
  readonly currentRandom?: Hash
  readonly currentExcessBlobGas?: Hex
}

interface StateTestFile {
  readonly [name: string]: {
    readonly env: StateTestEnv
    readonly pre: Readonly<Record<Address, PreAccount>>
    readonly post: Readonly<
      Record<string, readonly (Omit<StateTestCase, 'name'> & { readonly indexes: Indexes })[]>
    >
  }
}

interface Indexes {
  readonly data: number
  readonly gas: number
  readonly value: number
}

/** The outcome of a transaction. */
export interface StateTestOutcome {
  /** The state root, and keccak256 of the RLP of the logs. */
  readonly hash: Hash
  readonly logs: Hash
  /** Why it was rejected; absent if it was included. */
  readonly rejected?: string
}

/** The tests of a folder, in lexical order of their files. */
export async function* readStateTests(folder: Folder): AsyncGenerator<StateTest> {
  const files = (await folder.list()).filter((file) => file.endsWith('.json'))
  for (const file of files) {
    const tests = await readJson<StateTestFile>(folder, file)
    for (const [name, { env, pre, post }] of Object.entries(tests)) {
      const cases = (post[POST] ?? []).map(({ indexes, ...rest }) => ({
        ...rest,
        name: `${file} ${name} d${indexes.data}g${indexes.gas}v${indexes.value}`,
      }))
      yield { name: `${file} ${name}`, env, pre, cases }
    }
  }
}

/** Every `n`-th case of the tests, from the `k`-th on; tests without such a case are omitted. */
export async function* sampled(
  tests: AsyncIterable<StateTest>,
  [k, n]: readonly [number, number],
): AsyncGenerator<StateTest> {
  let index = 0
  for await (const test of tests) {
    const cases = test.cases.filter(() => index++ % n === k)
    if (cases.length > 0) yield { ...test, cases }
  }
}

/** How an outcome, or the error thrown instead, differs from that of the case; undefined if it does not. */
export function differenceOf(expected: StateTestCase, got: StateTestOutcome | string): string | undefined {
  if (typeof got === 'string') return `threw ${got}`
  const differences: string[] = []
  if (expected.expectException === undefined && got.rejected !== undefined)
    differences.push(`rejected: ${got.rejected}`)
  if (expected.expectException !== undefined && got.rejected === undefined) {
    differences.push(`not rejected: ${expected.expectException}`)
  }
  if (got.hash !== expected.hash) differences.push(`state root ${got.hash}, not ${expected.hash}`)
  if (got.logs !== expected.logs) differences.push(`logs hash ${got.logs}, not ${expected.logs}`)
  return differences.length === 0 ? undefined : differences.join('; ')
}

/** Runs state tests; the engine's EVMs are kept from one to the next. */
export class StateTestRunner {
  readonly #crypto: Crypto
  readonly #executor: Executor
  readonly #rules: Rules

  private constructor(crypto: Crypto) {
    this.#crypto = crypto
    this.#executor = createExecutor(createEthereumjsEngine(crypto), crypto)
    const genesis = { config: hardforkConfig(1, FORK), alloc: {}, gasLimit: '0x0' }
    this.#rules = createChainRules(genesis as never).at(1n, 1n)
  }

  static async create(): Promise<StateTestRunner> {
    return new StateTestRunner(await loadCrypto())
  }

  /** Starts from a test's accounts; the tries over them are built once for all its cases. */
  start({ env, pre }: StateTest): StartedStateTest {
    const world = new WorldState()
    const overlay = new Overlay(world.head)
    for (const [address, account] of Object.entries(pre)) this.#put(overlay, address as Address, account)
    const changes = overlay.changes()
    world.commit(changes)
    const trie = updateStateTrie(null, changes, this.#crypto)
    const block = this.#toBlockEnv(env)
    return { run: (one) => this.#run(one, block, world, trie) }
  }

  async #run(
    { txbytes }: StateTestCase,
    env: BlockEnv,
    world: WorldState,
    trie: StateTrie,
  ): Promise<StateTestOutcome> {
    const before = world.head
    const reject = (rejected: string) => ({ hash: this.#rootOf(trie), logs: this.#logsHash([]), rejected })
    let tx: Transaction
    try {
      tx = decodeTransaction(hexToBytes(txbytes), env.rules, this.#crypto)
    } catch (error) {
      if (error instanceof PresealRpcError) return reject(error.message)
      throw error
    }
    const execution = { tx, env, state: before, checks: ALL_CHECKS }
    const { outcome, overlay } = await executeLoaded(this.#executor, execution)
    const changes = overlay.changes()
    if (outcome.kind === 'rejected') {
      if (changes.accounts.size + changes.slots.size > 0)
        throw new Error('a rejected transaction wrote to the state')
      return reject(outcome.error.message)
    }
    const hash = this.#rootOf(updateStateTrie(trie, changes, this.#crypto))
    return { hash, logs: this.#logsHash(outcome.logs) }
  }

  #rootOf(trie: StateTrie): Hash {
    return bytesToHex(stateRoot(trie, this.#crypto))
  }

  #logsHash(logs: readonly Log[]): Hash {
    const items = logs.map(({ address, topics, data }) => [
      hexToBytes(address),
      topics.map((topic) => hexToBytes(topic)),
      hexToBytes(data),
    ])
    return this.#crypto.keccak256Hex(encodeRlp(items))
  }

  #put(overlay: Overlay, address: Address, { balance, nonce, code, storage }: PreAccount): void {
    const bytes = hexToBytes(code)
    const codeHash = this.#crypto.keccak256Hex(bytes)
    overlay.setAccount(address, { nonce: BigInt(nonce), balance: BigInt(balance), codeHash })
    if (bytes.length > 0) overlay.setCode(address, codeHash, bytes)
    for (const [key, value] of Object.entries(storage)) {
      overlay.setSlot(address, `0x${key.slice(2).padStart(64, '0')}`, BigInt(value))
    }
  }

  #toBlockEnv(env: StateTestEnv): BlockEnv {
    const rules = this.#rules
    const excessBlobGas = BigInt(env.currentExcessBlobGas ?? 0)
    return {
      rules,
      number: BigInt(env.currentNumber),
      timestamp: BigInt(env.currentTimestamp),
      coinbase: env.currentCoinbase,
      gasLimit: BigInt(env.currentGasLimit),
      baseFee: BigInt(env.currentBaseFee ?? BASE_FEE),
      prevRandao: env.currentRandom ?? `0x${'0'.repeat(64)}`,
      blobBaseFee: createBlockHeader(
        { excessBlobGas },
        { common: commonOf(rules, this.#crypto) },
      ).getBlobGasPrice(),
      difficulty: 0n,
      blockHash: (number) => this.#crypto.keccak256Hex(new TextEncoder().encode(String(number))),
    }
  }
}

/** A test with its accounts loaded. */
export interface StartedStateTest {
  /** Executes one transaction on the test's accounts, without changing them. */
  run(testCase: StateTestCase): Promise<StateTestOutcome>
}
