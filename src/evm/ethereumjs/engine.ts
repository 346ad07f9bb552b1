/**
 * The engine of today: @ethereumjs' EVM, with the rules of inclusion and the fees around it.
 *
 * Owns: a pool of EVMs. Does not own state; what it executes on is handed in and handed back.
 *
 *   checks ─► pay for the gas limit, raise the nonce ─► authorisations ─► run ─► refund, tip, sweep
 */
import type { EVM, ExecResult } from '@ethereumjs/evm'
import { Address as EthereumjsAddress } from '@ethereumjs/util'
import type { Crypto } from '../../crypto/crypto.ts'
import { bytesToHex, hexToBytes } from '../../primitives/bytes.ts'
import type { Address, Hash, Hex } from '../../primitives/types.ts'
import type { Log } from '../../protocol/block.ts'
import { type UpfrontGas, upfrontGas } from '../../protocol/gas.ts'
import { blobGasOf, effectiveGasPrice, MAX_NONCE, type TxEnv } from '../../protocol/transaction.ts'
import { EMPTY_ACCOUNT, EMPTY_CODE_HASH, isEmptyAccount, MAX_BALANCE, readCode } from '../../state/account.ts'
import type { Overlay } from '../../state/overlay.ts'
import type { BlockEnv, Executor, Included, Missing } from '../executor.ts'
import { findRejection } from '../validate.ts'
import { applyAuthorizations } from './authorizations.ts'
import { setKZG } from './common.ts'
import { type EVMBlock, toEVMBlock } from './evmBlock.ts'
import { EVMPool } from './evmPool.ts'
import { errorName, toFrameEnd } from './frameEnd.ts'
import { createWatch, type Watch } from './hooks.ts'

/** Who calls the system contracts (EIP-4788 and on). */
export const SYSTEM_ADDRESS: Address = '0xfffffffffffffffffffffffffffffffffffffffe'
const SYSTEM_CALL_GAS = 30_000_000n

/**
 * The code of the request queues (EIP-7002, EIP-7251). At the end of a block that found all its slots zero it reads no
 * request and writes zeros: nothing changes, and most blocks are spared two runs of the EVM.
 */
const QUEUE_CODES: ReadonlySet<Hash> = new Set<Hash>([
  '0x0345a365d2f4c5975b9f1599abe0a2ee76b7a3a731bc68781bd04c84e4858f50',
  '0x78c6cb5202685228bbcbfb992b1c4e116c7ec5ef11e25b8e92716cfc628ddd60',
])
const NO_REQUESTS = new Uint8Array(0)

/** At most a fifth of the gas used is refunded (EIP-3529); a half before London. */
const REFUND_QUOTIENT = 5n
const FRONTIER_REFUND_QUOTIENT = 2n

/** An executor on @ethereumjs' EVM. */
export function createEthereumjsExecutor(crypto: Crypto): Executor {
  const pool = new EVMPool(crypto)
  return {
    execute(tx, env, overlay, checks, hooks) {
      const gas = upfrontGas(tx, env.rules.fork)
      const rejection = findRejection(tx, env, overlay, checks, gas)
      if (rejection !== undefined) return rejection
      const lent = checks.funds ? 0n : lend(tx, env, overlay)
      const job: Job = { tx, env, overlay, gas, lent, watch: createWatch(hooks) }
      job.watch?.tracer?.onStart?.(tx, env, overlay)
      if (isPlainTransfer(job)) return transfer(job)
      return isBeyondNonces(job) ? refuseCreation(job) : run(job, pool, crypto)
    },

    async systemCall(to, data, env, overlay) {
      const account = overlay.account(to)
      if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return undefined
      if (account.slotCount === 0 && QUEUE_CODES.has(account.codeHash)) return NO_REQUESTS
      const { evm, release } = await pool.checkOut(env.rules, overlay, env.blockHash)
      const start = overlay.mark()
      try {
        const { execResult } = await evm.runCall({
          block: toEVMBlock(env),
          caller: toAddress(SYSTEM_ADDRESS),
          to: toAddress(to),
          data,
          gasLimit: SYSTEM_CALL_GAS,
          // The protocol's caller has no nonce; without this it would come to exist.
          skipNonceIncrement: true,
        })
        await evm.journal.cleanup()
        return execResult.returnValue
      } catch (error) {
        const missing = findMissing(error, evm)
        if (missing === undefined) throw error
        await missing.load
        overlay.revert(start)
      } finally {
        release()
      }
      return this.systemCall(to, data, env, overlay)
    },
  }
}

/** One execution under way. */
interface Job {
  readonly tx: TxEnv
  readonly env: BlockEnv
  readonly overlay: Overlay
  readonly gas: UpfrontGas
  /** Wei the sender was lent. */
  readonly lent: bigint
  readonly watch: Watch | undefined
}

/** Whether nothing but balances can change: most transactions of a test suite need no EVM. */
function isPlainTransfer({ tx, env, overlay, watch }: Job): boolean {
  const { to } = tx
  if (to === null || tx.authorizationList !== undefined || !env.rules.fork.spuriousDragon) return false
  if (isPrecompileRange(to) || watch?.precompiles?.has(to) || readCode(overlay, to).length > 0) return false
  // A balance that would overflow fails the transaction, which is the EVM's to say.
  return (overlay.account(to)?.balance ?? 0n) + tx.value <= MAX_BALANCE
}

/** Every precompile, and the room kept for more, lies below 2^16. */
function isPrecompileRange(address: Address): boolean {
  return address.startsWith('0x000000000000000000000000000000000000')
}

function transfer(job: Job): Included {
  const { tx, env, overlay, gas } = job
  const price = payUpfront(tx, env, overlay)
  const to = tx.to as Address
  enter(job)
  job.watch?.tracer?.onExit?.({ gasUsed: 0n, output: NO_OUTPUT })
  if (tx.value > 0n) {
    overlay.addBalance(tx.from, -tx.value)
    overlay.addBalance(to, tx.value)
  } else {
    sweep(to, overlay)
  }
  return settle(job, price, gas.intrinsic, 0n, {
    succeeded: true,
    output: NO_OUTPUT,
    logs: [],
    contractAddress: null,
  })
}

/** Whether a contract is to be created by an account whose nonces are used up; only where nonces are not checked. */
function isBeyondNonces({ tx, overlay }: Job): boolean {
  return tx.to === null && overlay.account(tx.from)?.nonce === MAX_NONCE
}

/** A creation that fails before its first instruction, and leaves the nonce as it is. */
function refuseCreation(job: Job): Included {
  const { tx, env, overlay, gas } = job
  const price = payUpfront(tx, env, overlay)
  const error = 'nonce uint64 overflow'
  enter(job)
  job.watch?.tracer?.onExit?.({ gasUsed: 0n, output: NO_OUTPUT, error })
  overlay.setAccount(tx.from, { ...overlay.account(tx.from)!, nonce: MAX_NONCE })
  return settle(job, price, gas.intrinsic, 0n, {
    succeeded: false,
    error,
    output: NO_OUTPUT,
    logs: [],
    contractAddress: null,
  })
}

/** Tells the tracer of the outermost frame. */
function enter({ tx, gas, watch }: Job): void {
  watch?.tracer?.onEnter?.({
    type: tx.to === null ? 'CREATE' : 'CALL',
    from: tx.from,
    to: tx.to ?? undefined,
    gas: tx.gasLimit - gas.intrinsic,
    value: tx.value,
    input: tx.data,
  })
}

const NO_OUTPUT = new Uint8Array(0)

async function run(job: Job, pool: EVMPool, crypto: Crypto): Promise<Included | Missing> {
  const { tx, env, overlay, gas, watch } = job
  const { evm, release } = await pool.checkOut(env.rules, overlay, env.blockHash, watch)
  try {
    const price = payUpfront(tx, env, overlay)
    enter(job)
    const { authorities, refund } = applyAuthorizations(tx, env.rules.chainId, overlay, crypto)
    warm(evm, tx, env, authorities)
    const result = await evm.runCall({
      block: toEVMBlock(env) satisfies EVMBlock,
      gasPrice: price,
      caller: toAddress(tx.from),
      ...(tx.to === null ? {} : { to: toAddress(tx.to) }),
      gasLimit: tx.gasLimit - gas.intrinsic,
      value: tx.value,
      data: tx.data,
      ...(tx.blobVersionedHashes && { blobVersionedHashes: [...tx.blobVersionedHashes] }),
      skipNonceIncrement: true,
    })
    const { execResult } = result
    watch?.tracer?.onExit?.(toFrameEnd(result, evm.lastOpcode))
    const createdAddress = result.createdAddress && bytesToHex(result.createdAddress.bytes)
    const included = settle(
      job,
      price,
      execResult.executionGasUsed + gas.intrinsic,
      refund + (execResult.gasRefund ?? 0n),
      {
        ...describe(execResult),
        logs: (execResult.logs ?? []).map(toLog),
        contractAddress: createdAddress ?? null,
      },
    )
    destroy(execResult, env, overlay)
    await evm.journal.cleanup()
    return included
  } catch (error) {
    const missing = findMissing(error, evm)
    if (missing === undefined) throw error
    return missing
  } finally {
    release()
  }
}

/** Gives the sender what it lacks to pay for the transaction. @returns how much that is, in wei. */
function lend(tx: TxEnv, env: BlockEnv, overlay: Overlay): bigint {
  const fee = tx.gasLimit * effectiveGasPrice(tx, env.baseFee) + blobFee(tx, env)
  const lacking = fee + tx.value - (overlay.account(tx.from)?.balance ?? 0n)
  if (lacking <= 0n) return 0n
  overlay.addBalance(tx.from, lacking)
  return lacking
}

/** Takes back what the sender still has of what it was lent. */
function collect({ tx, overlay, lent }: Job): void {
  if (lent === 0n) return
  const { balance } = overlay.account(tx.from) ?? EMPTY_ACCOUNT
  overlay.addBalance(tx.from, -(lent < balance ? lent : balance))
}

/** Takes the price of the whole gas limit and of the blobs, and raises the nonce; after the last comes zero. */
function payUpfront(tx: TxEnv, env: BlockEnv, overlay: Overlay): bigint {
  const price = effectiveGasPrice(tx, env.baseFee)
  const { nonce, balance, codeHash } = overlay.account(tx.from) ?? EMPTY_ACCOUNT
  overlay.setAccount(tx.from, {
    nonce: BigInt.asUintN(64, nonce + 1n),
    balance: balance - tx.gasLimit * price - blobFee(tx, env),
    codeHash,
  })
  return price
}

/** What the blobs cost, in wei: as much as is offered where the blob base fee need not be covered. */
function blobFee(tx: TxEnv, env: BlockEnv): bigint {
  const { maxFeePerBlobGas = 0n } = tx
  return blobGasOf(tx) * (maxFeePerBlobGas < env.blobBaseFee ? maxFeePerBlobGas : env.blobBaseFee)
}

type Result = Pick<Included, 'succeeded' | 'error' | 'output' | 'logs' | 'contractAddress'>

/** Gives back what was not used, and pays the coinbase. */
function settle(job: Job, price: bigint, peakGas: bigint, refunds: bigint, result: Result): Included {
  const { tx, env, overlay, gas, watch } = job
  const { fork } = env.rules
  const most = peakGas / (fork.london ? REFUND_QUOTIENT : FRONTIER_REFUND_QUOTIENT)
  const refunded = peakGas - (refunds < most ? refunds : most)
  const gasUsed = refunded < gas.floor ? gas.floor : refunded
  const change = (tx.gasLimit - gasUsed) * price
  if (change > 0n) overlay.addBalance(tx.from, change)
  collect(job)
  const tip = gasUsed * (price - env.baseFee)
  // Before EIP-161 a coinbase comes to exist whatever it earns.
  if (tip > 0n || !fork.spuriousDragon) overlay.addBalance(env.coinbase, tip)
  else sweep(env.coinbase, overlay)
  const needed = peakGas < gas.floor ? gas.floor : peakGas
  const captured = watch?.capture && { captured: watch.capture.result() }
  return { kind: 'included', ...result, ...captured, gasUsed, peakGas: needed, effectiveGasPrice: price }
}

/** Removes a touched account that is empty (EIP-161). */
function sweep(address: Address, overlay: Overlay): void {
  const account = overlay.account(address)
  if (account !== undefined && isEmptyAccount(account)) overlay.deleteAccount(address)
}

/** Removes the accounts that destroyed themselves; since Cancun only those made in this transaction (EIP-6780). */
function destroy({ selfdestruct, createdAddresses }: ExecResult, env: BlockEnv, overlay: Overlay): void {
  for (const address of selfdestruct?.keys() ?? []) {
    if (!env.rules.fork.cancun || createdAddresses?.has(address)) overlay.deleteAccount(address)
  }
}

/** Warms what EIP-2929, 2930, 3651 and 7702 say is warm from the start. */
function warm(evm: EVM, tx: TxEnv, env: BlockEnv, authorities: readonly Address[]): void {
  if (!env.rules.fork.berlin) return
  const { journal } = evm
  for (const precompile of evm.precompiles.keys()) journal.addAlwaysWarmAddress(precompile)
  journal.addAlwaysWarmAddress(tx.from)
  if (tx.to !== null) journal.addAlwaysWarmAddress(tx.to)
  if (env.rules.fork.shanghai) journal.addAlwaysWarmAddress(env.coinbase)
  for (const authority of authorities) journal.addAlwaysWarmAddress(authority)
  for (const { address, storageKeys } of tx.accessList ?? []) {
    journal.addAlwaysWarmAddress(address)
    for (const key of storageKeys) journal.addAlwaysWarmSlot(address, key)
  }
}

function describe({
  exceptionError,
  returnValue,
}: ExecResult): Pick<Result, 'succeeded' | 'error' | 'output'> {
  if (exceptionError === undefined) return { succeeded: true, output: returnValue }
  return { succeeded: false, error: errorName(exceptionError), output: returnValue }
}

/** The point evaluation precompile needs a KZG library, which is loaded when it is first called. */
function findMissing(error: unknown, evm: EVM): Missing | undefined {
  if (!(error instanceof Error) || error.message !== 'kzg not initialized') return undefined
  const load = import('../../protocol/kzg.ts').then(({ verifyProof }) => setKZG(evm.common, verifyProof))
  return { kind: 'missing', load }
}

function toAddress(address: Address): EthereumjsAddress {
  return new EthereumjsAddress(hexToBytes(address))
}

/** A log as the EVM has it, in plain data. */
export function toLog([address, topics, data]: [Uint8Array, Uint8Array[], Uint8Array]): Log {
  return {
    address: bytesToHex(address),
    topics: topics.map((topic): Hex => bytesToHex(topic)),
    data: bytesToHex(data),
  }
}
