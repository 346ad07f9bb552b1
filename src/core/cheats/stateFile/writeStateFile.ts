/** Writes the text of a state file in parts, as anvil 1.7 does, so that anvil can load it. */

import { bytesToHex, quantity, toWord } from '../../../base/bytes.ts'
import { keccak256 } from '../../../base/crypto/crypto.ts'
import type { Hash } from '../../../base/types.ts'
import { createYielder, type Pause, whenLoaded } from '../../../base/waiting.ts'
import type { Block } from '../../../ethereum/block.ts'
import { logsToBloom } from '../../../ethereum/evm/receiptEncoding.ts'
import { blobBaseFee } from '../../../ethereum/header.ts'
import { EMPTY_ACCOUNT, NO_CODE, type StateChanges } from '../../../ethereum/state/account.ts'
import type { Transaction } from '../../../ethereum/transaction.ts'
import type { SealedEntry } from '../../ledger/ledger.ts'
import { sealedEntries, type Tip } from '../../sequencer/tip.ts'
import type { CheatParts } from '../blocks.ts'

/** The maximum of the numbers in anvil's block environment. */
const MAX_UINT64 = 2n ** 64n - 1n

/** See the file's header. @param withStates - includes the states before the head, as far as available. */
export async function* writeStateFile(parts: CheatParts, withStates: boolean): AsyncGenerator<string> {
  const { tip } = parts.sequencer
  const { base, head } = tip
  const pause = createYielder(base.config.clock)
  const { header, rules } = head.block
  const entries = await allEntries(tip)
  const env = {
    number: quantity(header.number),
    beneficiary: header.miner,
    timestamp: quantity(header.timestamp),
    gas_limit: toNumber(header.gasLimit),
    basefee: toNumber(header.baseFeePerGas ?? 0n),
    difficulty: quantity(header.difficulty),
    prevrandao: header.mixHash,
    blob_excess_gas_and_price: {
      excess_blob_gas: toNumber(header.excessBlobGas ?? 0n),
      blob_gasprice: toNumber(blobBaseFee(header, rules)),
    },
    slot_num: 0,
  }
  yield `{"block":${toJson(env)},"accounts":{`
  yield* writeAccounts(base.world.everythingAt(head.state), base.genesisAccounts, pause)
  yield `},"best_block_number":${header.number},"blocks":[`
  yield* writeList(entries, ({ block }) => toJson(toFileBlock(block)), pause)
  yield '],"transactions":['
  const places = entries.flatMap(({ block }) => block.transactions.map((_, index) => ({ block, index })))
  yield* writeList(places, ({ block, index }) => toJson(toFileTransaction(block, index)), pause)
  yield '],"historical_states":'
  if (withStates) yield* writeStates(entries, pause)
  else yield 'null'
  yield '}'
}

/**
 * Returns the sealed blocks from genesis on. Returns none for a fork, and none if the history does not reach genesis:
 * no node can load a part of a chain.
 */
async function allEntries(tip: Tip): Promise<readonly SealedEntry[]> {
  if (tip.base.fork !== undefined) return []
  const entries = await sealedEntries(tip)
  return typeof entries === 'bigint' ? [] : entries
}

async function* writeList<T>(
  items: readonly T[],
  toText: (item: T) => string,
  pause: Pause,
): AsyncGenerator<string> {
  for (const [i, item] of items.entries()) {
    yield `${i === 0 ? '' : ','}${toText(item)}`
    await pause()
  }
}

/**
 * Writes accounts by address, so that equal states are equal files. Deleted accounts of `genesis` are written as empty,
 * since the chain that loads the file may have them.
 */
async function* writeAccounts(
  state: StateChanges,
  genesis: StateChanges['accounts'],
  pause: Pause,
): AsyncGenerator<string> {
  let before = ''
  for (const address of [...new Set([...state.accounts.keys(), ...genesis.keys()])].sort()) {
    const found = state.accounts.get(address)
    if (!found && !genesis.has(address)) continue
    const account = found ?? EMPTY_ACCOUNT
    const storage: Record<Hash, Hash> = {}
    const slots = state.slots.get(account.storageId)
    for (const key of slots ? [...slots.keys()].sort() : []) {
      const value = slots!.get(key)!
      if (value !== 0n) storage[key] = toWord(value)
      await pause()
    }
    const { nonce, balance, codeHash } = account
    const code = bytesToHex(state.codes.get(codeHash) ?? NO_CODE)
    yield `${before}"${address}":${toJson({ nonce: toNumber(nonce), balance: quantity(balance), code, storage })}`
    before = ','
    await pause()
  }
}

/** Returns an integer, or the maximum of 64 bits if the integer is higher. */
function toNumber(value: bigint): bigint {
  return value < MAX_UINT64 ? value : MAX_UINT64
}

/** Begins the strings that {@link toJson} makes of bigints, so that it finds them again and removes their quotes. */
const MARK = '\u0000'

function toJson(value: unknown): string {
  const text = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${MARK}${one}` : one))
  return text.replace(/"\\u0000(\d+)"/g, '$1')
}

function toFileBlock({ header, transactions, uncles, withdrawals }: Block): object {
  return {
    header: toQuantities(header),
    transactions: transactions.map((tx) => ({
      transaction: toFileFields(tx),
      // Set only for transactions that anvil made, whose s is 0: anvil includes a sender in the transaction's hash.
      impersonated_sender: tx.unsigned && tx.s === 0n ? tx.from : null,
    })),
    ommers: uncles.map(toQuantities),
    withdrawals: withdrawals?.map(toQuantities) ?? null,
  }
}

function toFileFields(tx: Transaction): object {
  const { type, to, accessList, authorizationList, blobVersionedHashes } = tx
  const quantities = {
    type: BigInt(type),
    chainId: tx.chainId,
    nonce: tx.nonce,
    gas: tx.gasLimit,
    gasPrice: tx.gasPrice,
    maxFeePerGas: tx.maxFeePerGas,
    maxPriorityFeePerGas: tx.maxPriorityFeePerGas,
    maxFeePerBlobGas: tx.maxFeePerBlobGas,
    value: tx.value,
    r: tx.r,
    s: tx.s,
    ...(type > 0 && { yParity: tx.v }),
    v: tx.v,
  }
  return {
    ...toQuantities(quantities),
    to,
    input: bytesToHex(tx.data),
    ...(accessList && { accessList }),
    ...(blobVersionedHashes && { blobVersionedHashes }),
    ...(authorizationList && {
      authorizationList: authorizationList.map((one) => ({
        address: one.address,
        ...toQuantities({ ...one, yParity: BigInt(one.yParity) }),
      })),
    }),
    hash: tx.unsigned ? bytesToHex(keccak256(tx.raw)) : tx.hash,
  }
}

/** Converts bigints to quantities, and leaves out undefined values. */
function toQuantities(values: object): object {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const toShown = (value: unknown) => (typeof value === 'bigint' ? quantity(value) : value)
  return Object.fromEntries(given.map(([name, value]) => [name, toShown(value)]))
}

/** Returns a mined transaction with its receipt, without traces. */
function toFileTransaction(block: Block, index: number): object {
  const tx = block.transactions[index]!
  const receipt = block.receipts[index]!
  const { succeeded, stateRoot, gasUsed, cumulativeGasUsed, contractAddress, logs, revertReason } = receipt
  return {
    info: {
      transaction_hash: tx.hash,
      transaction_index: index,
      from: tx.from,
      to: tx.to,
      contract_address: contractAddress,
      traces: [],
      exit: succeeded ? 'Stop' : 'Revert',
      out: revertReason ?? '0x',
      nonce: tx.nonce,
      gas_used: gasUsed,
    },
    receipt: {
      type: quantity(tx.type),
      status: stateRoot ?? quantity(succeeded ? 1 : 0),
      cumulativeGasUsed: quantity(cumulativeGasUsed),
      logs: logs.map(({ address, topics, data }) => ({ address, topics, data })),
      logsBloom: bytesToHex(logsToBloom(logs)),
      ...receipt.extra,
    },
    block_hash: block.hash,
    block_number: block.number,
  }
}

/** Writes the states before the last block, as far as available. */
async function* writeStates(entries: readonly SealedEntry[], pause: Pause): AsyncGenerator<string> {
  let before = '['
  for (const { block, state } of entries.slice(0, -1)) {
    if (!state.isRetained) continue
    const changes = await whenLoaded(() => state.everything())
    yield `${before}["${block.hash}",{"accounts":{`
    yield* writeStateAccounts(changes, pause)
    yield '},"storage":{'
    yield* writeStorage(changes, pause)
    yield '},"block_hashes":{}}]'
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}

async function* writeStateAccounts({ accounts, codes }: StateChanges, pause: Pause): AsyncGenerator<string> {
  let before = ''
  for (const [address, account] of accounts) {
    if (account === null) continue
    const { nonce, balance, codeHash } = account
    const code = toFileCode(codes.get(codeHash) ?? NO_CODE)
    yield `${before}"${address}":${toJson({ balance: quantity(balance), nonce, code_hash: codeHash, code })}`
    before = ','
    await pause()
  }
}

async function* writeStorage({ accounts, slots }: StateChanges, pause: Pause): AsyncGenerator<string> {
  let before = ''
  for (const [address, account] of accounts) {
    const written = account === null ? undefined : slots.get(account.storageId)
    if (written === undefined) continue
    const storage: Record<string, string> = {}
    for (const [key, value] of written) {
      if (value !== 0n) storage[quantity(BigInt(key))] = quantity(value)
      await pause()
    }
    // An account whose slots were all cleared has no entry.
    if (Object.keys(storage).length === 0) continue
    yield `${before}"${address}":${JSON.stringify(storage)}`
    before = ','
  }
}

const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH32 = 0x7f
/** The beginning of the code of a delegated account (EIP-7702). */
const DELEGATION = '0xef0100'

function toFileCode(code: Uint8Array): object {
  const raw = bytesToHex(code)
  if (code.length === 23 && raw.startsWith(DELEGATION)) {
    return { Eip7702: { delegated_address: `0x${raw.slice(DELEGATION.length)}` } }
  }
  const jumps = new Uint8Array(Math.ceil(code.length / 8))
  let last = 0
  let at = 0
  while (at < code.length) {
    last = code[at]!
    if (last === JUMPDEST) jumps[at >> 3]! |= 1 << (at & 7)
    at += last >= PUSH1 && last <= PUSH32 ? last - PUSH1 + 2 : 1
  }
  // The bytes that the last push lacks, and a STOP unless the code ends in one.
  const padding = at - code.length + (code.length > 0 && last === 0 ? 0 : 1)
  return {
    LegacyAnalyzed: {
      bytecode: `${raw}${'00'.repeat(padding)}`,
      original_len: code.length,
      jump_table: {
        order: 'bitvec::order::Lsb0',
        head: { width: 8, index: 0 },
        bits: code.length,
        data: [...jumps],
      },
    },
  }
}
