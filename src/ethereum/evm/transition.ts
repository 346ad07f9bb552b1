/**
 * The state transition of a transaction: the rules of inclusion, fees and nonces, and the protocol's steps before and
 * after the message that an engine runs.
 *
 *   checks ─► pay for the gas limit, raise the nonce ─► authorisations ─► run ─► refund, tip, EIP-161
 *
 * The sender pays the maximum of the fees besides gas (`ChainSpec`) together with the gas limit, and gets back the rest
 * together with the unused gas.
 *
 * Owns nothing. `execute` returns an overlay with its writes; `systemCall` writes to the overlay of the caller.
 */
import { NO_BYTES } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, Hash, Mutable } from '../../base/types.ts'
import { mapResult, type Resumable, type Yielder } from '../../base/waiting.ts'
import { type ExtraFields, extraFeesOf, shownFields } from '../chainSpec.ts'
import { type UpfrontGas, upfrontGas } from '../gas.ts'
import { EMPTY_ACCOUNT, EMPTY_CODE_HASH, isStorageEmpty, MAX_BALANCE, readCode } from '../state/account.ts'
import { Overlay } from '../state/overlay.ts'
import { blobGasOf, effectiveGasPrice, MAX_NONCE, type TxEnv } from '../transaction.ts'
import { applyAuthorizations } from './authorizations.ts'
import type { Engine, Message, MessageResult, WarmAtStart } from './engine.ts'
import type { BlockEnv, Executor, Hooks, Included, SystemCallResult } from './executor.ts'
import { findRejection } from './validate.ts'

/** The caller of system contracts (since EIP-4788). */
export const SYSTEM_ADDRESS: Address = '0xfffffffffffffffffffffffffffffffffffffffe'
const SYSTEM_CALL_GAS = 30_000_000n

/**
 * The code hashes of the request queues (EIP-7002, EIP-7251). A queue whose slots are all zero returns no request and
 * changes nothing. Skipping such queues saves two EVM runs in most blocks.
 */
const QUEUE_CODES: ReadonlySet<Hash> = new Set<Hash>([
  '0x0345a365d2f4c5975b9f1599abe0a2ee76b7a3a731bc68781bd04c84e4858f50',
  '0x78c6cb5202685228bbcbfb992b1c4e116c7ec5ef11e25b8e92716cfc628ddd60',
])

/** At most a fifth of the gas used is refunded (EIP-3529), before London a half. */
const REFUND_QUOTIENT = 5n
const FRONTIER_REFUND_QUOTIENT = 2n

/** Creates the executor that runs messages on an engine. */
export function createExecutor(engine: Engine, crypto: Crypto): Executor {
  return {
    execute({ tx, env, state, checks, hooks }, pause) {
      const overlay = new Overlay(state)
      const gas = upfrontGas(tx, env.rules.fork)
      const extraFees = checks.extraFees ? extraFeesOf(tx, { env, state }) : 0n
      const rejection = findRejection(tx, env, overlay, checks, gas, extraFees)
      if (rejection !== undefined) return { outcome: rejection, overlay }
      const topUp = checks.funds ? 0n : topUpBalance(tx, env, overlay, extraFees)
      const transition: Transition = { tx, env, overlay, gas, topUp, extraFees, hooks }
      hooks?.onStart?.(tx, env, overlay)
      if (isPlainTransfer(transition)) return { outcome: transfer(transition), overlay }
      if (isNonceExhausted(transition)) return { outcome: refuseCreation(transition), overlay }
      return mapResult(run(transition, engine, crypto, pause), (outcome) => ({ outcome, overlay }))
    },

    systemCall(to, data, env, overlay, pause) {
      const account = overlay.account(to)
      if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return undefined
      if (isStorageEmpty(account) && QUEUE_CODES.has(account.codeHash)) {
        return { output: NO_BYTES, error: undefined }
      }
      const message: Message = {
        caller: SYSTEM_ADDRESS,
        to,
        value: 0n,
        data,
        gasLimit: SYSTEM_CALL_GAS,
        gasPrice: 0n,
      }
      return mapResult(engine.run(message, env, overlay, undefined, pause), toSystemCallResult)
    },
  }
}

function toSystemCallResult({ output, error }: MessageResult): SystemCallResult {
  return { output, error }
}

/** A transaction in execution. */
interface Transition {
  readonly tx: TxEnv
  readonly env: BlockEnv
  readonly overlay: Overlay
  readonly gas: UpfrontGas
  /** Wei credited to the sender, so that it can pay for the transaction. */
  readonly topUp: bigint
  /** The maximum of the fees besides gas, in wei. */
  readonly extraFees: bigint
  readonly hooks: Hooks | undefined
}

/** Whether the transaction is a transfer that runs no code, and needs no engine; common in test suites. */
function isPlainTransfer({ tx, env, overlay }: Transition): boolean {
  const { to } = tx
  if (to === null || tx.authorizationList !== undefined || !env.rules.fork.spuriousDragon) return false
  if (isPrecompileRange(to) || env.movedPrecompiles?.has(to) || readCode(overlay, to).length > 0) return false
  // If the recipient's balance would overflow, the engine must fail the transaction.
  return (overlay.account(to)?.balance ?? 0n) + tx.value <= MAX_BALANCE
}

/** Whether an address is below 2^16, in the range reserved for precompiles. */
function isPrecompileRange(address: Address): boolean {
  return address.startsWith('0x000000000000000000000000000000000000')
}

function transfer(transition: Transition): Included {
  const { tx, overlay, gas, hooks } = transition
  const price = payUpfront(transition)
  const to = tx.to as Address
  enterOutermostFrame(transition)
  hooks?.onExit?.({ gasUsed: 0n, output: NO_BYTES })
  if (tx.value > 0n) {
    overlay.addBalance(tx.from, -tx.value)
    overlay.addBalance(to, tx.value)
  } else {
    overlay.deleteIfEmpty(to)
  }
  return finalizeFees(transition, price, gas.intrinsic, 0n, {
    succeeded: true,
    output: NO_BYTES,
    logs: [],
    contractAddress: null,
    dependsOnGas: false,
  })
}

/** Whether a sender with the maximum nonce creates a contract, which is possible only without nonce checks. */
function isNonceExhausted({ tx, overlay }: Transition): boolean {
  return tx.to === null && overlay.account(tx.from)?.nonce === MAX_NONCE
}

/** Fails the creation before its first instruction, and leaves the nonce unchanged. */
function refuseCreation(transition: Transition): Included {
  const { tx, overlay, gas, hooks } = transition
  const price = payUpfront(transition)
  const error = 'nonce uint64 overflow'
  enterOutermostFrame(transition)
  hooks?.onExit?.({ gasUsed: 0n, output: NO_BYTES, error })
  overlay.setAccount(tx.from, { ...overlay.account(tx.from)!, nonce: MAX_NONCE })
  return finalizeFees(transition, price, gas.intrinsic, 0n, {
    succeeded: false,
    error,
    output: NO_BYTES,
    logs: [],
    contractAddress: null,
  })
}

function enterOutermostFrame({ tx, gas, hooks }: Transition): void {
  hooks?.onEnter?.({
    type: tx.to === null ? 'CREATE' : 'CALL',
    from: tx.from,
    to: tx.to ?? undefined,
    gas: tx.gasLimit - gas.intrinsic,
    value: tx.value,
    input: tx.data,
  })
}

function run(
  transition: Transition,
  engine: Engine,
  crypto: Crypto,
  pause: Yielder | undefined,
): Resumable<Included> {
  const { tx, env, overlay, gas, hooks } = transition
  const price = payUpfront(transition)
  enterOutermostFrame(transition)
  const { authorities, refund } = applyAuthorizations(tx, env.rules.chainId, overlay, crypto)
  const message: Message = {
    caller: tx.from,
    to: tx.to ?? undefined,
    value: tx.value,
    data: tx.data,
    gasLimit: tx.gasLimit - gas.intrinsic,
    gasPrice: price,
    blobVersionedHashes: tx.blobVersionedHashes,
    warm: env.rules.fork.berlin ? warmFromStart(tx, env, authorities) : undefined,
  }
  return mapResult(engine.run(message, env, overlay, hooks, pause), (result) =>
    finalize(transition, price, refund, result),
  )
}

/** Settles fees, and deletes accounts that destroyed themselves. */
function finalize(transition: Transition, price: bigint, refund: bigint, result: MessageResult): Included {
  const { env, overlay, gas } = transition
  const { error, output, logs, contractAddress = null, dependsOnGas } = result
  const included = finalizeFees(transition, price, result.gasUsed + gas.intrinsic, refund + result.refund, {
    succeeded: error === undefined,
    error,
    output,
    logs,
    contractAddress,
    dependsOnGas,
  })
  deleteDestroyed(result, env, overlay)
  return included
}

/** The accounts and slots that are warm at the start (EIPs 2929, 2930, 3651, 7702). */
function warmFromStart(tx: TxEnv, env: BlockEnv, authorities: readonly Address[]): WarmAtStart {
  const addresses = [tx.from, ...authorities]
  if (tx.to !== null) addresses.push(tx.to)
  if (env.rules.fork.shanghai) addresses.push(env.coinbase)
  return { addresses, accessList: tx.accessList ?? [] }
}

/** Credits the sender with the amount missing to pay for the transaction. @returns the amount, in wei. */
function topUpBalance(tx: TxEnv, env: BlockEnv, overlay: Overlay, extraFees: bigint): bigint {
  const fee = tx.gasLimit * effectiveGasPrice(tx, env.baseFee) + blobFee(tx, env) + extraFees
  const lacking = fee + tx.value - (overlay.account(tx.from)?.balance ?? 0n)
  if (lacking <= 0n) return 0n
  overlay.addBalance(tx.from, lacking)
  return lacking
}

/** Takes back what remains of the top-up. */
function takeBackTopUp({ tx, overlay, topUp }: Transition): void {
  if (topUp === 0n) return
  const { balance } = overlay.account(tx.from) ?? EMPTY_ACCOUNT
  overlay.addBalance(tx.from, -(topUp < balance ? topUp : balance))
}

/**
 * Charges the whole gas limit, the blobs and the fees besides gas, and raises the nonce modulo 2^64.
 *
 * @returns the effective gas price.
 */
function payUpfront({ tx, env, overlay, extraFees }: Transition): bigint {
  const price = effectiveGasPrice(tx, env.baseFee)
  const { nonce, balance, codeHash } = overlay.account(tx.from) ?? EMPTY_ACCOUNT
  overlay.setAccount(tx.from, {
    nonce: BigInt.asUintN(64, nonce + 1n),
    balance: balance - tx.gasLimit * price - blobFee(tx, env) - extraFees,
    codeHash,
  })
  return price
}

/** The cost of the blobs in wei: at the blob base fee or, in a call that does not check it, at a lower blob fee cap. */
function blobFee(tx: TxEnv, env: BlockEnv): bigint {
  const { maxFeePerBlobGas = 0n } = tx
  return blobGasOf(tx) * (maxFeePerBlobGas < env.blobBaseFee ? maxFeePerBlobGas : env.blobBaseFee)
}

interface Result
  extends Pick<Included, 'succeeded' | 'output' | 'logs' | 'contractAddress' | 'dependsOnGas'> {
  readonly error?: string | undefined
}

/** Refunds the unused gas, and pays the coinbase. */
function finalizeFees(
  transition: Transition,
  price: bigint,
  peakGas: bigint,
  refunds: bigint,
  result: Result,
): Included {
  const { tx, env, overlay, gas } = transition
  const { fork } = env.rules
  const most = peakGas / (fork.london ? REFUND_QUOTIENT : FRONTIER_REFUND_QUOTIENT)
  const refunded = peakGas - (refunds < most ? refunds : most)
  const gasUsed = refunded < gas.floor ? gas.floor : refunded
  const change = (tx.gasLimit - gasUsed) * price
  if (change > 0n) overlay.addBalance(tx.from, change)
  const extra = env.rules.spec === undefined ? undefined : settleExtraFees(transition, gasUsed)
  takeBackTopUp(transition)
  const tip = gasUsed * (price - env.baseFee)
  // Before EIP-161 the coinbase account is created even if it earns nothing.
  if (tip > 0n || !fork.spuriousDragon) overlay.addBalance(env.coinbase, tip)
  else overlay.deleteIfEmpty(env.coinbase)
  const needed = peakGas < gas.floor ? gas.floor : peakGas
  const { succeeded, error, output, logs, contractAddress, dependsOnGas } = result
  const included: Mutable<Included> = {
    kind: 'included',
    succeeded,
    output,
    logs,
    contractAddress,
    dependsOnGas,
    gasUsed,
    peakGas: needed,
    effectiveGasPrice: price,
    extra,
  }
  if (error !== undefined) included.error = error
  return included
}

/** Pays the fees besides gas, refunds the rest of them, and returns the further fields of the receipt. */
function settleExtraFees(transition: Transition, gasUsed: bigint): ExtraFields | undefined {
  const { tx, env, overlay, extraFees } = transition
  const { fees = [], baseFeeRecipient, receiptFields } = env.rules.spec!
  const metered = { tx, gas: gasUsed, env, state: overlay.parent }
  // Pays no zero fee, since that would create an empty account.
  const pay = (to: Address, wei: bigint) => wei > 0n && overlay.addBalance(to, wei)
  if (baseFeeRecipient !== undefined) pay(baseFeeRecipient, gasUsed * env.baseFee)
  let rest = extraFees
  for (const { recipient, amount } of extraFees === 0n ? [] : fees) {
    const fee = amount(metered)
    pay(recipient, fee)
    rest -= fee
  }
  pay(tx.from, rest)
  return shownFields(receiptFields, metered)
}

/** Deletes accounts that destroyed themselves; since Cancun only if created in this transaction (EIP-6780). */
function deleteDestroyed({ destroyed, created }: MessageResult, env: BlockEnv, overlay: Overlay): void {
  for (const address of destroyed) {
    if (!env.rules.fork.cancun || created.has(address)) overlay.deleteAccount(address)
  }
}
