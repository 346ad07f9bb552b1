/** What a block says of itself before it is executed, checked against its parent and its ancestors. */
import type { BlockHeader } from '@ethereumjs/block'
import type { Crypto } from '../crypto/crypto.ts'
import { bytesToHex } from '../primitives/bytes.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import type { Hash } from '../primitives/types.ts'
import type { StoredBlock } from '../protocol/block.ts'
import { encodeWithdrawal } from '../protocol/blockEncoding.ts'
import { InvalidBlockError } from '../protocol/errors.ts'
import type { Rules } from '../protocol/rules.ts'
import { blobGasOf, type Transaction } from '../protocol/transaction.ts'
import { listRoot } from '../state/listTrie.ts'

/** An ancestor as far as uncles are held against it. */
export interface Ancestor {
  readonly header: BlockHeader
  readonly uncles: readonly BlockHeader[]
}

/** Uncles of a block, and how many generations back the oldest one's parent may be (Yellow Paper, 11.1). */
const MAX_UNCLES = 2
const MAX_GENERATIONS = 7

const MAX_GAS_LIMIT = 2n ** 63n - 1n
const MAX_EXTRA_DATA = 32
/** Bytes of a block's RLP from Osaka on (EIP-7934). */
const MAX_BLOCK_SIZE = 8 * 1024 * 1024

/**
 * Checks a header against its parent: everything but the seal of proof of work, and what only executing it shows.
 *
 * @param rules - the header's.
 * @throws InvalidBlockError naming the field.
 */
export function validateHeader(header: BlockHeader, parent: BlockHeader, { common, fork }: Rules): void {
  expectField('number', header.number, parent.number + 1n)
  expectField('parentHash', bytesToHex(header.parentHash), bytesToHex(parent.hash()))
  if (header.timestamp <= parent.timestamp) {
    throw new InvalidBlockError(
      `its timestamp is ${header.timestamp}, not after its parent's ${parent.timestamp}`,
    )
  }
  if (header.gasLimit > MAX_GAS_LIMIT || !holds(() => header.validateGasLimit(parent))) {
    throw new InvalidBlockError(
      `its gasLimit is ${header.gasLimit}, too far from its parent's ${parent.gasLimit}`,
    )
  }
  if (header.extraData.length > MAX_EXTRA_DATA) {
    throw new InvalidBlockError(
      `its extraData has ${header.extraData.length} bytes, more than ${MAX_EXTRA_DATA}`,
    )
  }
  if (fork.paris) {
    expectField('difficulty', header.difficulty, 0n)
    expectField('nonce', bytesToHex(header.nonce), ZERO_NONCE)
  } else {
    expectField('difficulty', header.difficulty, header.ethashCanonicalDifficulty(parent))
  }
  if (fork.london) {
    const initial = parent.baseFeePerGas === undefined
    const baseFee = initial ? common.param('initialBaseFee') : parent.calcNextBaseFee()
    expectField('baseFeePerGas', header.baseFeePerGas!, baseFee)
  }
  if (fork.cancun) expectField('excessBlobGas', header.excessBlobGas!, parent.calcNextExcessBlobGas(common))
}

/**
 * Checks a body against its header.
 *
 * @throws InvalidBlockError naming the field of the header.
 */
export function validateBody(
  { header, uncles, withdrawals, size }: StoredBlock,
  transactions: readonly Transaction[],
  { common, fork }: Rules,
  crypto: Crypto,
): void {
  const rootOf = (items: readonly Uint8Array[]) => bytesToHex(listRoot(items, crypto))
  if (fork.osaka && size > MAX_BLOCK_SIZE) {
    throw new InvalidBlockError(`its RLP has ${size} bytes, more than ${MAX_BLOCK_SIZE}`)
  }
  const uncleHash = crypto.keccak256Hex(encodeRlp(uncles.map((uncle) => uncle.raw() as Uint8Array[])))
  expectField('sha3Uncles', bytesToHex(header.uncleHash), uncleHash)
  const transactionsRoot = rootOf(transactions.map(({ raw }) => raw))
  expectField('transactionsRoot', bytesToHex(header.transactionsTrie), transactionsRoot)
  if (withdrawals !== undefined) {
    const withdrawalsRoot = rootOf(withdrawals.map((item) => encodeRlp(encodeWithdrawal(item))))
    expectField('withdrawalsRoot', bytesToHex(header.withdrawalsRoot!), withdrawalsRoot)
  }
  if (fork.cancun) {
    const blobGas = transactions.reduce((sum, tx) => sum + blobGasOf(tx), 0n)
    expectField('blobGasUsed', header.blobGasUsed!, blobGas)
    const most = common.getBlobGasSchedule().maxBlobGasPerBlock
    if (blobGas > most) throw new InvalidBlockError(`its blobGasUsed is ${blobGas}, more than ${most}`)
  }
}

/**
 * Checks a block's uncles: relatives of the last generations, each a valid header, none of them named before.
 *
 * @param rulesOf - the rules of a header.
 * @param ancestor - a block of the chain by its hash.
 * @throws InvalidBlockError naming the uncle.
 */
export async function validateUncles(
  { header, uncles }: StoredBlock,
  rulesOf: (header: BlockHeader) => Rules,
  ancestor: (hash: Hash) => Promise<Ancestor | undefined>,
): Promise<void> {
  if (uncles.length === 0) return
  if (rulesOf(header).fork.paris) throw new InvalidBlockError('its sha3Uncles is of uncles, after the merge')
  if (uncles.length > MAX_UNCLES) throw new InvalidBlockError(`it has ${uncles.length} uncles, more than two`)
  const known = new Set<Hash>()
  const parents = new Map<Hash, BlockHeader>()
  let hash = bytesToHex(header.parentHash)
  for (let generation = 1; generation <= MAX_GENERATIONS; generation++) {
    const block = await ancestor(hash)
    if (block === undefined) break
    known.add(hash)
    for (const uncle of block.uncles) known.add(bytesToHex(uncle.hash()))
    // A child of the block's own parent would be its sibling.
    if (generation > 1) parents.set(hash, block.header)
    hash = bytesToHex(block.header.parentHash)
  }
  for (const [i, uncle] of uncles.entries()) {
    const uncleHash = bytesToHex(uncle.hash())
    if (known.has(uncleHash)) throw new InvalidBlockError(`uncle ${i}: it is a block or an uncle already`)
    known.add(uncleHash)
    const parent = parents.get(bytesToHex(uncle.parentHash))
    if (parent === undefined) {
      throw new InvalidBlockError(`uncle ${i}: its parentHash is of no block of the last generations`)
    }
    try {
      validateHeader(uncle, parent, rulesOf(uncle))
    } catch (error) {
      throw error instanceof InvalidBlockError ? new InvalidBlockError(`uncle ${i}: ${error.message}`) : error
    }
  }
}

const ZERO_NONCE = `0x${'00'.repeat(8)}`

/** @throws InvalidBlockError unless both are the same. */
function expectField(name: string, got: bigint | string, expected: bigint | string): void {
  if (got !== expected) throw new InvalidBlockError(`its ${name} is ${got}, expected ${expected}`)
}

function holds(check: () => void): boolean {
  try {
    check()
    return true
  } catch {
    return false
  }
}
