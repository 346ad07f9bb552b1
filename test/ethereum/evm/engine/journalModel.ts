/** A model of the journal which is copied as a whole at each mark, and random changes of both. */
import fc from 'fast-check'
import { toWord } from '../../../../src/base/bytes.ts'
import type { Address, Hash } from '../../../../src/base/types.ts'
import type { Journal, JournalAccount } from '../../../../src/ethereum/evm/engine/journal.ts'
import { toEvmWord, type Word } from '../../../../src/ethereum/evm/engine/word.ts'
import { EMPTY_ACCOUNT, EMPTY_CODE_HASH, EMPTY_STATE } from '../../../../src/ethereum/state/account.ts'
import { Overlay } from '../../../../src/ethereum/state/overlay.ts'

/** The account that stays touched. */
export const RIPEMD160: Address = `0x${'03'.padStart(40, '0')}`
/** An account with code and two slots, two empty accounts with {@link RIPEMD160}, and an absent one. */
export const CONTRACT: Address = `0x${'cc'.repeat(20)}`
export const EMPTY: Address = `0x${'ee'.repeat(20)}`
export const ABSENT: Address = `0x${'ab'.repeat(20)}`
export const ADDRESSES = [RIPEMD160, CONTRACT, EMPTY, ABSENT]
export const KEYS: readonly Word[] = [0, 2n ** 200n]

/** The code of the contract. */
export const INITIAL_HASH: Hash = `0x${'c0'.repeat(32)}`
/** The code that is set. */
export const CODE = Uint8Array.of(0x01)
export const CODE_HASH: Hash = `0x${'c1'.repeat(32)}`

/** A contract with two slots, and two empty accounts. */
export function createState(): Overlay {
  const state = new Overlay(EMPTY_STATE)
  state.setAccount(CONTRACT, { nonce: 1n, balance: 5n, codeHash: EMPTY_CODE_HASH })
  state.setCode(CONTRACT, INITIAL_HASH, Uint8Array.of(0x00))
  state.setSlot(CONTRACT, toWord(KEYS[0]!), 7n)
  state.setSlot(CONTRACT, toWord(KEYS[1]!), 2n ** 255n)
  for (const address of [EMPTY, RIPEMD160]) state.setAccount(address, EMPTY_ACCOUNT)
  return state
}

/** A slot of a storage, which may be empty. */
export function readStorage(state: Overlay, storageId: number, key: Word): bigint {
  return storageId === 0 ? 0n : state.slot(storageId, toWord(key))
}

/** An account as the model has it. */
export interface Account {
  readonly address: Address
  exists: boolean
  nonce: bigint
  balance: bigint
  codeHash: Hash
  isWarm: boolean
  isTouched: boolean
  isCreated: boolean
  isDestroyed: boolean
  slots: Record<string, ModelSlot>
}

interface ModelSlot {
  value: bigint
  isWarm: boolean
  transient: bigint
}

const TOUCHED = { exists: true, isTouched: true }

/** What the journal holds, copied as a whole at each mark. */
interface Model {
  accounts: Record<Address, Account>
  /** The addresses of the logs. */
  logs: Address[]
  refund: number
}

/** The model of a state that nothing has changed yet. */
export function createModel(state: Overlay): Model {
  const accounts = ADDRESSES.map((address): [Address, Account] => {
    const before = state.account(address)
    const { nonce, balance, codeHash, storageId } = before ?? EMPTY_ACCOUNT
    const slots = KEYS.map((key) => {
      const value = readStorage(state, storageId, key)
      return [String(key), { value, isWarm: false, transient: 0n }]
    })
    return [
      address,
      {
        address,
        exists: before !== undefined,
        nonce,
        balance,
        codeHash,
        isWarm: false,
        isTouched: false,
        isCreated: false,
        isDestroyed: false,
        slots: Object.fromEntries(slots),
      },
    ]
  })
  return { accounts: Object.fromEntries(accounts), logs: [], refund: 0 }
}

/** The journal in the form of the model. */
export function read(journal: Journal): Model {
  const accounts = ADDRESSES.map((address) => {
    const account = journal.accountAt(address)
    const { exists, nonce, balance, codeHash, isWarm, isTouched, isCreated, isDestroyed } = account
    const slots = KEYS.map((key) => {
      const { value, isWarm } = journal.slot(account, key)
      return [
        String(key),
        { value: BigInt(value), isWarm, transient: BigInt(journal.transient(account, key)) },
      ]
    })
    const own = { address, exists, nonce, balance, codeHash, isWarm, isTouched, isCreated, isDestroyed }
    return [address, { ...own, slots: Object.fromEntries(slots) }]
  })
  return {
    accounts: Object.fromEntries(accounts),
    logs: journal.logs.map(({ address }) => address),
    refund: journal.refund,
  }
}

/** Each kind of change, made to the journal and to the model. */
export const CHANGES: Readonly<
  Record<
    string,
    readonly [
      change: (journal: Journal, account: JournalAccount, key: Word, to: bigint) => void,
      model: (model: Model, account: Account, slot: ModelSlot, to: bigint) => void,
    ]
  >
> = {
  warmAccount: [
    (journal, account) => journal.warmAccount(account),
    (_, account) => Object.assign(account, { isWarm: true }),
  ],
  warmSlot: [
    (journal, account, key) => journal.warmSlot(journal.slot(account, key)),
    (_, __, slot) => Object.assign(slot, { isWarm: true }),
  ],
  setSlot: [
    (journal, account, key, to) => journal.setSlot(journal.slot(account, key), toEvmWord(to)),
    (_, __, slot, to) => Object.assign(slot, { value: to }),
  ],
  setTransient: [
    (journal, account, key, to) => journal.setTransient(account, key, toEvmWord(to)),
    (_, __, slot, to) => Object.assign(slot, { transient: to }),
  ],
  touch: [(journal, account) => journal.touch(account), (_, account) => Object.assign(account, TOUCHED)],
  setBalance: [
    (journal, account, _, to) => journal.setBalance(account, to),
    (_, account, __, to) => Object.assign(account, TOUCHED, { balance: to }),
  ],
  setNonce: [
    (journal, account, _, to) => journal.setNonce(account, to % 2n ** 64n),
    (_, account, __, to) => Object.assign(account, TOUCHED, { nonce: to % 2n ** 64n }),
  ],
  setCode: [
    (journal, account) => journal.setCode(account, CODE, CODE_HASH),
    (_, account) => Object.assign(account, { codeHash: CODE_HASH }),
  ],
  markCreated: [
    (journal, account) => journal.markCreated(account),
    (_, account) => Object.assign(account, { isCreated: true }),
  ],
  markDestroyed: [
    (journal, account) => journal.markDestroyed(account),
    (_, account) => Object.assign(account, { isDestroyed: true }),
  ],
  addLog: [
    (journal, { address }) => journal.addLog({ address, topics: [], data: '0x' }),
    (model, { address }) => model.logs.push(address),
  ],
  addRefund: [
    (journal, _, __, to) => journal.addRefund(refundOf(to)),
    (model, _, __, to) => Object.assign(model, { refund: model.refund + refundOf(to) }),
  ],
}

const refundOf = (n: bigint): number => Number(n % 1000n) - 500

/** A change, or a frame with its own steps. */
type Step =
  | { readonly kind: string; readonly address: Address; readonly key: Word; readonly to: bigint }
  | { readonly steps: readonly Step[]; readonly reverts: boolean }

/** Changes in nested frames. */
export const { steps } = fc.letrec<{ steps: Step[]; step: Step; change: Step; frame: Step }>((tie) => ({
  steps: fc.array(tie('step'), { maxLength: 12 }),
  step: fc.oneof(
    { maxDepth: 4 },
    { weight: 5, arbitrary: tie('change') },
    { weight: 1, arbitrary: tie('frame') },
  ),
  change: fc.record({
    kind: fc.constantFrom(...Object.keys(CHANGES)),
    address: fc.constantFrom(...ADDRESSES),
    key: fc.constantFrom(...KEYS),
    to: fc.constantFrom(0n, 1n, 5n, 7n, 2n ** 255n),
  }),
  frame: fc.record({ steps: tie('steps'), reverts: fc.boolean() }),
}))

/** Applies steps to both. @returns the model afterwards. */
export function apply(list: readonly Step[], journal: Journal, model: Model): Model {
  let current = model
  for (const step of list) {
    if ('kind' in step) {
      const account = current.accounts[step.address]!
      const [change, changeModel] = CHANGES[step.kind]!
      change(journal, journal.accountAt(step.address), step.key, step.to)
      changeModel(current, account, account.slots[String(step.key)]!, step.to)
      continue
    }
    const mark = journal.mark()
    const before = structuredClone(current)
    const after = apply(step.steps, journal, current)
    if (step.reverts) {
      journal.revert(mark)
      before.accounts[RIPEMD160]!.isTouched = after.accounts[RIPEMD160]!.isTouched
    }
    current = step.reverts ? before : after
  }
  return current
}
