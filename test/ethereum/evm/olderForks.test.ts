/**
 * Transactions on every fork up to Osaka, each from the same state: stock @ethereumjs has to compute the same state
 * root, gas and logs. Chains seal no blocks before the merge, but they import them.
 */
import { createBlock } from '@ethereumjs/block'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { createAccessList2930Tx, createLegacyTx, type TypedTransaction } from '@ethereumjs/tx'
import { Account, Address as StockAddress } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import { type Crypto, loadCrypto } from '../../../src/base/crypto/crypto.ts'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import { whenLoaded } from '../../../src/base/waiting.ts'
import { createPresealEngine } from '../../../src/ethereum/evm/engine/presealEngine.ts'
import { ALL_CHECKS, type BlockEnv } from '../../../src/ethereum/evm/executor.ts'
import { createExecutor } from '../../../src/ethereum/evm/transition.ts'
import { intrinsicGas } from '../../../src/ethereum/gas.ts'
import { verifyProof } from '../../../src/ethereum/kzg.ts'
import type { Overlay } from '../../../src/ethereum/state/overlay.ts'
import { stateRoot, updateStateTrie } from '../../../src/ethereum/state/stateTrie.ts'
import type { TxEnv } from '../../../src/ethereum/transaction.ts'
import { FORK_NAMES, rulesOf } from '../../forks.ts'
import { runs } from '../../full.ts'
import { address } from '../../words.ts'
import { type Code, hex, initCode, push, toMemory } from './programs.ts'
import { creation } from './random/creations.ts'
import { program } from './random/programs.ts'
import { createState, type StartingAccount, slotKey } from './setup.ts'

const RUNS = runs(3, 250)
const ETHER = 10n ** 18n
const GAS_PRICE = 11n
const BASE_FEE = 7n

const SENDER = address(0xaa00000000)
const CODES = [0, 1, 2].map((i) => address(0xcc00000000 + i))
const [TARGET] = CODES as [Address]
const ABSENT = address(0xab00000000)
const EMPTY = address(0xeb00000000)
const POOR = address(0xbb00000000)
const COINBASE = address(0xcb00000000)
const TARGETS = [
  ...CODES,
  ...CODES,
  ABSENT,
  EMPTY,
  POOR,
  COINBASE,
  SENDER,
  ...[1, 2, 3, 4, 5, 6, 8, 9].map(address),
]

type State = Readonly<Record<Address, StartingAccount>>
type Tx = Pick<TxEnv, 'to' | 'value' | 'data' | 'gasLimit' | 'accessList'>

/** The effects of a transaction that the chain commits to. */
interface Effects {
  readonly root: Hash
  readonly gasUsed: bigint
  readonly succeeded: boolean
  readonly logs: unknown
}

let loading: Promise<Crypto> | undefined
const cryptoOf = () => (loading ??= loadCrypto())

const executors = new Map<
  Hardfork,
  Promise<(state: State, tx: Tx) => Promise<Effects & { overlay: Overlay }>>
>()

/** Our executor of a fork, created once, so that its EVMs are reused. */
function oursOn(fork: Hardfork) {
  let created = executors.get(fork)
  if (created === undefined) {
    created = createOurs(fork)
    executors.set(fork, created)
  }
  return created
}

async function createOurs(fork: Hardfork) {
  const crypto = await cryptoOf()
  const rules = rulesOf(fork, 1)
  expect(rules.hardfork).toBe(fork)
  const executor = createExecutor(createPresealEngine(crypto), crypto)
  const env: BlockEnv = {
    rules,
    number: 1n,
    timestamp: 1n,
    coinbase: COINBASE,
    gasLimit: 30_000_000n,
    baseFee: rules.fork.london ? BASE_FEE : 0n,
    blobBaseFee: 1n,
    prevRandao: slotKey(0),
    difficulty: rules.fork.paris ? 0n : 1n,
    blockHash: () => undefined,
  }
  return async (state: State, tx: Tx) => {
    const before = createState(state, crypto)
    const trie = updateStateTrie(null, before.changes(), crypto)
    const full: TxEnv = { ...tx, type: tx.accessList ? 1 : 0, from: SENDER, nonce: 0n, gasPrice: GAS_PRICE }
    const execution = { tx: full, env, state: before, checks: ALL_CHECKS }
    const { outcome, overlay } = await whenLoaded(() => executor.execute(execution))
    if (outcome.kind === 'rejected') throw outcome.error
    const root = bytesToHex(stateRoot(updateStateTrie(trie, overlay.changes(), crypto), crypto))
    const { gasUsed, succeeded, logs } = outcome
    return { root, gasUsed, succeeded, logs, overlay }
  }
}

/** The effects under stock @ethereumjs. */
async function stockEffects(fork: Hardfork, state: State, tx: Tx): Promise<Effects> {
  const customCrypto = { kzg: { verifyProof } as never }
  const common = new Common({ chain: Mainnet, hardfork: fork, customCrypto })
  const manager = new MerkleStateManager({ common })
  for (const [at, { nonce = 0n, balance = 0n, code, storage = {} }] of Object.entries(state)) {
    const account = new StockAddress(hexToBytes(at as Address))
    await manager.putAccount(account, new Account(nonce, balance))
    if (code !== undefined) await manager.putCode(account, hexToBytes(code))
    for (const [slot, word] of Object.entries(storage)) {
      const value = word.toString(16)
      await manager.putStorage(
        account,
        hexToBytes(slotKey(BigInt(slot))),
        hexToBytes(`0x${value.length % 2 ? '0' : ''}${value}`),
      )
    }
  }
  const merged = common.gteHardfork(Hardfork.Paris)
  const header = {
    number: 1n,
    timestamp: 1n,
    coinbase: COINBASE,
    gasLimit: 30_000_000n,
    ...(common.isActivatedEIP(1559) && { baseFeePerGas: BASE_FEE }),
    ...(!merged && { difficulty: 1n }),
  }
  const block = createBlock({ header }, { common, skipConsensusFormatValidation: true })
  const vm = await createVM({ common, stateManager: manager })
  const { root, gasUsed, succeeded, logs } = await runTx(vm, { tx: toStock(tx, common), block }).then(
    async ({ totalGasSpent, execResult }) => ({
      root: bytesToHex(await manager.getStateRoot()),
      gasUsed: totalGasSpent,
      succeeded: execResult.exceptionError === undefined,
      logs: (execResult.logs ?? []).map(([at, topics, data]) => ({
        address: bytesToHex(at),
        topics: topics.map((topic): Hex => bytesToHex(topic)),
        data: bytesToHex(data),
      })),
    }),
  )
  return { root, gasUsed, succeeded, logs }
}

function toStock({ to, value, data, gasLimit, accessList }: Tx, common: Common): TypedTransaction {
  const fields = { ...(to !== null && { to }), value, data, gasLimit, gasPrice: GAS_PRICE, nonce: 0n }
  const options = { common, freeze: false, allowUnlimitedInitCodeSize: true }
  const tx =
    accessList === undefined
      ? createLegacyTx(fields, options)
      : createAccessList2930Tx({ ...fields, chainId: 1n, accessList: accessList as never }, options)
  tx.getSenderAddress = () => new StockAddress(hexToBytes(SENDER))
  return tx
}

/** Executes with both and compares. @returns our effects. */
async function execute(fork: Hardfork, state: State, tx: Partial<Tx>) {
  const accounts: State = { [SENDER]: { balance: ETHER }, ...state }
  const full: Tx = { to: TARGET, value: 0n, data: new Uint8Array(0), gasLimit: 1_000_000n, ...tx }
  const { overlay, ...ours } = await (await oursOn(fork))(accounts, full)
  expect(ours).toEqual(await stockEffects(fork, accounts, full))
  return { ...ours, overlay }
}

const call = (to: Address, value = 0): Code =>
  `${push(0).repeat(4)}${push(value)}73${to.slice(2)}${push(50_000)}f150`

describe.each(FORK_NAMES)('on %s, equal to stock @ethereumjs,', (fork) => {
  const since = (first: Hardfork) => FORK_NAMES.indexOf(fork) >= FORK_NAMES.indexOf(first)

  test('a call of an absent account without value', async () => {
    const { overlay } = await execute(fork, { [TARGET]: { code: hex(call(ABSENT)) } }, {})
    expect(overlay.account(ABSENT) === undefined).toBe(since(Hardfork.SpuriousDragon))
  })

  test('a transaction to an absent account without value', async () => {
    const { overlay } = await execute(fork, {}, { to: ABSENT })
    expect(overlay.account(ABSENT) === undefined).toBe(since(Hardfork.SpuriousDragon))
  })

  test('a call of an empty account', async () => {
    const state = { [TARGET]: { code: hex(call(EMPTY)) }, [EMPTY]: {} }
    const { overlay } = await execute(fork, state, {})
    expect(overlay.account(EMPTY) === undefined).toBe(since(Hardfork.SpuriousDragon))
  })

  test.each<[string, Address]>([
    ['an absent account', ABSENT],
    ['one with a balance', POOR],
    ['itself', TARGET],
    ['the coinbase', COINBASE],
  ])('a self-destruction in favour of %s, refunded until London', async (_, heir) => {
    const code = hex(`73${heir.slice(2)}ff`)
    const state = { [TARGET]: { balance: 5n, code }, [POOR]: { balance: 1n } }
    const { overlay } = await execute(fork, state, {})
    expect(overlay.account(TARGET) === undefined).toBe(!since(Hardfork.Cancun))
  })

  test('a self-destruction of the coinbase', async () => {
    const state = { [TARGET]: { code: hex(call(COINBASE)) }, [COINBASE]: { balance: 1n, code: hex('33ff') } }
    await execute(fork, state, {})
  })

  test('storage that is cleared', async () => {
    const code = hex([0, 1, 2, 3, 4].map((slot) => `${push(0)}${push(slot)}55`).join(''))
    const storage = { 0: 1n, 1: 1n, 2: 1n, 3: 1n, 4: 1n }
    await execute(fork, { [TARGET]: { code, storage } }, {})
  })

  test('storage that is set and cleared again', async () => {
    const code = hex([1, 0, 2, 1, 0].map((word) => `${push(word)}${push(0)}55`).join(''))
    await execute(fork, { [TARGET]: { code, storage: { 0: 1n } } }, {})
    await execute(fork, { [TARGET]: { code } }, {})
  })

  test('a creation that cannot pay for its code', async () => {
    const data = hexToBytes(hex(initCode('00'.repeat(1000), `${push(1)}${push(0)}55`)))
    const { overlay, succeeded } = await execute(fork, {}, { to: null, data, gasLimit: 200_000n })
    expect(succeeded).toBe(false)
    // Frontier creates the account without code.
    const created = [...overlay.changes().accounts].filter(([at]) => at !== SENDER && at !== COINBASE)
    expect(created.length).toBe(since(Hardfork.Homestead) ? 0 : 1)
  })

  test('a creation by code that cannot pay for its code', async () => {
    const init = initCode('00'.repeat(1000))
    const make = `${toMemory(init)}${push(init.length / 2)}${push(0)}${push(0)}f0`
    const state = { [TARGET]: { nonce: 1n, code: hex(`${make}${push(0)}55`) } }
    await execute(fork, state, { gasLimit: 180_000n })
    await execute(fork, state, { gasLimit: 1_000_000n })
  })

  test('code of any length, or of 24,576 bytes at most', async () => {
    const data = hexToBytes(hex(`${push(24_577)}${push(0)}f3`))
    const { succeeded } = await execute(fork, {}, { to: null, data, gasLimit: 10_000_000n })
    expect(succeeded).toBe(!since(Hardfork.SpuriousDragon))
  })

  test('a call of code far down, until there is no gas', async () => {
    const state = {
      [TARGET]: { code: hex(`${push(0).repeat(5)}305a${push(30_000)}900360005af1${push(0)}55`) },
    }
    await execute(fork, state, {})
  })

  const code = program({ fork: rulesOf(fork).fork, targets: TARGETS, isLimited: true })
  const tx: fc.Arbitrary<Tx> = fc
    .record({
      to: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...TARGETS) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
      value: fc.constantFrom(0n, 0n, 1n, 1000n),
      input: fc.oneof(
        fc.constant(''),
        fc.uint8Array({ maxLength: 100 }).map((b) => bytesToHex(b).slice(2)),
      ),
      create: creation(code),
      gas: fc.oneof(fc.constant(1_000_000n), fc.bigInt(0n, 100_000n)),
      accessList: fc.array(
        fc.record({
          address: fc.constantFrom(...TARGETS),
          storageKeys: fc.array(fc.nat(3).map(slotKey), { maxLength: 2 }),
        }),
        { maxLength: 2 },
      ),
    })
    .map(({ to, value, input, create, gas, accessList }) => ({
      to,
      value,
      data: hexToBytes(hex(to === null ? create : input)),
      gasLimit: gas,
      ...(since(Hardfork.Berlin) && accessList.length > 0 && { accessList }),
    }))
  const codes = fc.array(code, { minLength: CODES.length, maxLength: CODES.length })

  test('random code', async () => {
    const { fork: forks } = rulesOf(fork, 1)
    let succeeded = 0
    await fc.assert(
      fc.asyncProperty(codes, tx, async (programs, { gasLimit, ...rest }) => {
        const state: Record<Address, StartingAccount> = { [EMPTY]: {}, [POOR]: { balance: 1n } }
        for (const [i, code] of programs.entries()) {
          state[CODES[i]!] = { nonce: 1n, balance: 1000n, code: hex(code), storage: { 0: 1n, 1: 2n } }
        }
        // EIP-7623: no data is near the floor.
        const least = 40_000n + intrinsicGas(rest, forks)
        if ((await execute(fork, state, { ...rest, gasLimit: gasLimit + least })).succeeded) succeeded++
      }),
      RUNS,
    )
    // Nearly half on average, on the forks with the fewest; for 100 runs this is seven standard deviations less.
    expect(succeeded).toBeGreaterThan(RUNS.numRuns / 10)
  })
})
