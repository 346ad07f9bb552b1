import type { ForkRules } from '../../forks.ts'
import type { Frame } from './frame.ts'
import type { JournalAccount, Slot } from './journal.ts'
import { outOfGas } from './message.ts'
import type { Word } from './word.ts'

/** The prices of cold accounts and slots (EIP-2929): the surcharge on the warm price, and the whole price. */
const COLD_ACCOUNT_SURCHARGE = 2500
const COLD_ACCOUNT = 2600
const WARM_ACCOUNT = 100
const COLD_SLOT_SURCHARGE = 2000
const COLD_SLOT = 2100

/** SSTORE fails with this much gas left or less (EIP-2200). */
export const SSTORE_SENTRY = 2300

/** The prices of SSTORE with net metering (EIPs 1283, 2200, 2929, 3529). */
interface SstorePrices {
  /** For a slot whose value stays the same, or was changed before in the transaction. */
  readonly warm: number
  readonly set: number
  readonly reset: number
  readonly clears: number
  /** The refunds for setting a slot back to its original value, zero or nonzero. */
  readonly restoresZero: number
  readonly restores: number
}

const CONSTANTINOPLE_SSTORE: SstorePrices = {
  warm: 200,
  set: 20_000,
  reset: 5_000,
  clears: 15_000,
  restoresZero: 19_800,
  restores: 4_800,
}
const ISTANBUL_SSTORE = { ...CONSTANTINOPLE_SSTORE, warm: 800, restoresZero: 19_200, restores: 4_200 }
const BERLIN_SSTORE: SstorePrices = {
  warm: 100,
  set: 20_000,
  reset: 2_900,
  clears: 15_000,
  restoresZero: 19_900,
  restores: 2_800,
}
const LONDON_SSTORE = { ...BERLIN_SSTORE, clears: 4_800 }

function sstorePrices(fork: ForkRules): SstorePrices | undefined {
  if (fork.london) return LONDON_SSTORE
  if (fork.berlin) return BERLIN_SSTORE
  if (fork.istanbul) return ISTANBUL_SSTORE
  return fork.constantinople && !fork.petersburg ? CONSTANTINOPLE_SSTORE : undefined
}

/** Makes an account warm. Returns the gas beyond the warm price, 0 before Berlin (EIP-2929). */
export function accessAccount({ machine }: Frame, account: JournalAccount): number {
  if (!machine.fork.berlin || account.isWarm) return 0
  machine.journal.warmAccount(account)
  return COLD_ACCOUNT_SURCHARGE
}

/** The price of accessing a second account, which becomes warm: a delegate (EIP-7702) or a beneficiary. */
export function accessFurtherAccount(
  { machine }: Frame,
  account: JournalAccount,
  warm = WARM_ACCOUNT,
): number {
  if (account.isWarm) return warm
  machine.journal.warmAccount(account)
  return COLD_ACCOUNT
}

/** Makes a slot warm. Returns the gas beyond the warm price, 0 before Berlin (EIP-2929). */
export function accessSlot({ machine }: Frame, slot: Slot): number {
  if (!machine.fork.berlin || slot.isWarm) return 0
  machine.journal.warmSlot(slot)
  return COLD_SLOT_SURCHARGE
}

interface StoreGas {
  readonly gas: number
  readonly refund: number
}

/** The gas of SSTORE and its refund; warms the slot. @throws Halt if too little gas is left. */
export function sstoreGas(frame: Frame, slot: Slot, value: Word): StoreGas {
  const { machine } = frame
  const { journal, fork } = machine
  if (fork.istanbul && frame.gas <= SSTORE_SENTRY && frame.reserve === 0n) outOfGas()
  if (frame.gas < machine.leastStoreGas) machine.leastStoreGas = frame.gas
  const prices = sstorePrices(fork)
  if (prices === undefined) return frontierSstoreGas(slot, value)
  let cold = 0
  if (fork.berlin && !slot.isWarm) {
    journal.warmSlot(slot)
    cold = COLD_SLOT
  }
  const { original, value: before } = slot
  if (before === value) return { gas: cold + prices.warm, refund: 0 }
  if (before === original) {
    if (original === 0) return { gas: cold + prices.set, refund: 0 }
    return { gas: cold + prices.reset, refund: value === 0 ? prices.clears : 0 }
  }
  let refund = 0
  if (original !== 0) {
    if (before === 0) refund -= prices.clears
    else if (value === 0) refund += prices.clears
  }
  if (value === original) refund += original === 0 ? prices.restoresZero : prices.restores
  return { gas: cold + prices.warm, refund }
}

function frontierSstoreGas(slot: Slot, value: Word): StoreGas {
  if (slot.value === 0 && value !== 0) return { gas: 20_000, refund: 0 }
  return { gas: 5_000, refund: slot.value !== 0 && value === 0 ? 15_000 : 0 }
}
