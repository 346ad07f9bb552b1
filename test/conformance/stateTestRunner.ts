/** Runs state tests through the executor, the layered state and the tries, from the transaction's bytes. */

import { bytesToHex, hexToBytes, hexToWord } from '../../src/base/bytes.ts'
import { type Crypto, loadCrypto } from '../../src/base/crypto/crypto.ts'
import { PresealRpcError } from '../../src/base/errors.ts'
import { encodeRlp } from '../../src/base/rlp.ts'
import type { Address, Hash, Hex } from '../../src/base/types.ts'
import { whenLoaded } from '../../src/base/waiting.ts'
import type { Log } from '../../src/ethereum/block.ts'
import { decodeTransaction } from '../../src/ethereum/decodeTransaction.ts'
import { ALL_CHECKS, type BlockEnv, type Executor } from '../../src/ethereum/evm/executor.ts'
import { createExecutor } from '../../src/ethereum/evm/transition.ts'
import { blobBaseFee, createHeader } from '../../src/ethereum/header.ts'
import { createChainRules, type Rules } from '../../src/ethereum/rules.ts'
import { Overlay } from '../../src/ethereum/state/overlay.ts'
import { type StateTrie, stateRoot, updateStateTrie } from '../../src/ethereum/state/stateTrie.ts'
import { WorldState } from '../../src/ethereum/state/worldState.ts'
import type { Transaction } from '../../src/ethereum/transaction.ts'
import { type CreateEngine, OWN_ENGINE } from './engines.ts'
import { networkConfig } from './networks.ts'
import type { PreAccount, StateTest, StateTestCase, StateTestEnv, StateTestOutcome } from './stateTests.ts'

/** The base fee for files without one, which were written for older forks. */
export const BASE_FEE = '0x0a'

/** Runs state tests; rules and EVMs are kept from one to the next. */
export class StateTestRunner {
  readonly #crypto: Crypto
  readonly #executor: Executor
  /** The rules by fork and config. */
  readonly #rules = new Map<string, Rules>()

  private constructor(crypto: Crypto, createEngine: CreateEngine) {
    this.#crypto = crypto
    this.#executor = createExecutor(createEngine(crypto), crypto)
  }

  static async create(createEngine: CreateEngine = OWN_ENGINE): Promise<StateTestRunner> {
    return new StateTestRunner(await loadCrypto(), createEngine)
  }

  /** Starts from a test's accounts; the tries over them are built once for all its cases. */
  start(test: StateTest): StartedStateTest {
    const world = new WorldState()
    const overlay = new Overlay(world.head)
    for (const [address, account] of Object.entries(test.pre)) this.#put(overlay, address as Address, account)
    const changes = overlay.changes()
    world.commit(changes)
    const trie = updateStateTrie(null, changes, this.#crypto)
    const block = this.#toBlockEnv(test.env, this.#rulesOf(test))
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
    const { outcome, overlay } = await whenLoaded(() => this.#executor.execute(execution))
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
      overlay.setSlot(address, hexToWord(key as Hex), BigInt(value))
    }
  }

  #rulesOf({ fork, config, env }: StateTest): Rules {
    const key = JSON.stringify([fork, config])
    let rules = this.#rules.get(key)
    if (rules === undefined) {
      const genesis = { config: networkConfig(fork, config), alloc: {}, gasLimit: '0x0' }
      rules = createChainRules(genesis).at(BigInt(env.currentNumber), BigInt(env.currentTimestamp))
      this.#rules.set(key, rules)
    }
    return rules
  }

  #toBlockEnv(env: StateTestEnv, rules: Rules): BlockEnv {
    const { fork } = rules
    const excessBlobGas = BigInt(env.currentExcessBlobGas ?? 0)
    return {
      rules,
      number: BigInt(env.currentNumber),
      timestamp: BigInt(env.currentTimestamp),
      coinbase: env.currentCoinbase,
      gasLimit: BigInt(env.currentGasLimit),
      baseFee: fork.london ? BigInt(env.currentBaseFee ?? BASE_FEE) : 0n,
      prevRandao: env.currentRandom ?? `0x${'0'.repeat(64)}`,
      blobBaseFee: blobBaseFee(createHeader({ excessBlobGas }, rules), rules),
      difficulty: fork.paris ? 0n : BigInt(env.currentDifficulty),
      blockHash: (number) => this.#crypto.keccak256Hex(new TextEncoder().encode(String(number))),
    }
  }
}

/** A test with its accounts loaded. */
export interface StartedStateTest {
  /** Executes one transaction on the test's accounts, without changing them. */
  run(testCase: StateTestCase): Promise<StateTestOutcome>
}
