/**
 * Validates external blocks and executes them, by the rules of every fork since Frontier.
 *
 *   validation ─► execution by `BlockBuilder` ─► comparison with the header
 *
 * Owns nothing: callers adopt the block. Loaded by `import()`, since most chains never import a block.
 */

import type { BlockHeader } from '@ethereumjs/block'
import { hexToBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Hash } from '../../base/types.ts'
import type { Yielder } from '../../base/waiting.ts'
import type { StoredBlock } from '../../ethereum/block.ts'
import { daoForkBlock } from '../../ethereum/daoFork.ts'
import { BlockGasLimitError, InvalidBlockError } from '../../ethereum/errors.ts'
import {
  type Header,
  hashHeader,
  LATER_FIELDS,
  nextBaseFee,
  nextExcessBlobGas,
} from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import { bodyFields } from '../../ethereum/state/bodyFields.ts'
import { blobGasOf, type Transaction } from '../../ethereum/transaction.ts'
import { attributesOf, executedEnv, hashesUpTo } from '../block/attributes.ts'
import { BlockBuilder } from '../block/blockBuilder.ts'
import { openBlock, type Payload, type PayloadConfig, type PayloadParent } from '../block/payload.ts'
import { checkRequestCall } from '../block/systemCalls.ts'
import { toBlockError } from './errors.ts'
import { toEthereumjsHeader } from './ethereumjsHeader.ts'

/** An earlier block, with the uncles that the block to check may not include again. */
export interface Ancestor {
  readonly header: Header
  readonly uncles: readonly Header[]
}

/** How many uncles a block may have, and how many generations back their parents may be (Yellow Paper, 11.1). */
const MAX_UNCLES = 2
const MAX_GENERATIONS = 7

const MIN_GAS_LIMIT = 5_000n
const MAX_GAS_LIMIT = 2n ** 63n - 1n
const MAX_EXTRA_DATA = 32
/** The ASCII of `dao-hard-fork`. */
const DAO_EXTRA_DATA = '0x64616f2d686172642d666f726b'

/** Checks a header, except for proof of work and the fields that depend on execution. @throws InvalidBlockError */
export function validateHeader(header: Header, parent: Header, rules: Rules, crypto: Crypto): void {
  const { fork } = rules
  expectField('number', header.number, parent.number + 1n)
  expectField('parentHash', header.parentHash, hashHeader(parent))
  if (header.timestamp <= parent.timestamp) {
    const expected = `more than its parent's ${parent.timestamp}`
    throw new InvalidBlockError(`its timestamp is ${header.timestamp}, expected ${expected}`)
  }
  // London doubles the gas limit once (EIP-1559).
  const isFirstOfLondon = fork.london && parent.baseFeePerGas === undefined
  if (!isGasLimitWithin(header.gasLimit, isFirstOfLondon ? 2n * parent.gasLimit : parent.gasLimit)) {
    const reason = `too far from its parent's ${parent.gasLimit}`
    throw new InvalidBlockError(`its gasLimit is ${header.gasLimit}, ${reason}`)
  }
  const extraBytes = header.extraData.length / 2 - 1
  if (extraBytes > MAX_EXTRA_DATA) {
    throw new InvalidBlockError(`its extraData has ${extraBytes} bytes, expected at most ${MAX_EXTRA_DATA}`)
  }
  if (isOfDAOFork(header.number, rules)) expectField('extraData', header.extraData, DAO_EXTRA_DATA)
  if (fork.london) expectField('baseFeePerGas', header.baseFeePerGas!, nextBaseFee(parent))
  if (fork.paris) {
    expectField('difficulty', header.difficulty, 0n)
    expectField('nonce', header.nonce, ZERO_NONCE)
  } else {
    expectField('difficulty', header.difficulty, canonicalDifficulty(header, parent, rules, crypto))
  }
  if (fork.cancun) expectField('excessBlobGas', header.excessBlobGas!, nextExcessBlobGas(parent, rules))
}

/** Checks a body against its header. @throws InvalidBlockError, which names the header's field */
export function validateBody(
  { header, uncles, withdrawals, size }: StoredBlock,
  transactions: readonly Transaction[],
  { blobs, fork, maxBlockSize }: Rules,
  crypto: Crypto,
): void {
  if (size > maxBlockSize) {
    throw new InvalidBlockError(`its RLP has ${size} bytes, expected at most ${maxBlockSize}`)
  }
  const raws = transactions.map(({ raw }) => raw)
  const { sha3Uncles, transactionsRoot, withdrawalsRoot } = bodyFields(raws, uncles, withdrawals, crypto)
  expectField('sha3Uncles', header.sha3Uncles, sha3Uncles)
  expectField('transactionsRoot', header.transactionsRoot, transactionsRoot)
  if (withdrawalsRoot !== undefined) expectField('withdrawalsRoot', header.withdrawalsRoot!, withdrawalsRoot)
  if (fork.cancun) {
    const blobGas = transactions.reduce((sum, tx) => sum + blobGasOf(tx), 0n)
    expectField('blobGasUsed', header.blobGasUsed!, blobGas)
    if (blobGas > blobs.maxGas) {
      throw new InvalidBlockError(`its blobGasUsed is ${blobGas}, expected at most ${blobs.maxGas}`)
    }
  }
}

/** Checks that each uncle has a recent ancestor as parent, a valid header, and is new. @throws InvalidBlockError */
export async function validateUncles(
  { header, uncles }: StoredBlock,
  rulesOf: (header: Header) => Rules,
  ancestor: (hash: Hash) => Promise<Ancestor | undefined>,
  crypto: Crypto,
): Promise<void> {
  if (uncles.length === 0) return
  if (rulesOf(header).fork.paris) throw new InvalidBlockError('it has uncles, expected none after the merge')
  if (uncles.length > MAX_UNCLES) {
    throw new InvalidBlockError(`it has ${uncles.length} uncles, expected at most ${MAX_UNCLES}`)
  }
  const known = new Set<Hash>()
  const parents = new Map<Hash, Header>()
  let hash = header.parentHash
  for (let generation = 1; generation <= MAX_GENERATIONS; generation++) {
    const block = await ancestor(hash)
    if (block === undefined) break
    known.add(hash)
    for (const uncle of block.uncles) known.add(hashHeader(uncle))
    // A child of the block's parent is a sibling, not an uncle.
    if (generation > 1) parents.set(hash, block.header)
    hash = block.header.parentHash
  }
  for (const [i, uncle] of uncles.entries()) {
    const uncleHash = hashHeader(uncle)
    if (known.has(uncleHash)) throw new InvalidBlockError(`uncle ${i}: it is an ancestor or an uncle already`)
    known.add(uncleHash)
    const parent = parents.get(uncle.parentHash)
    if (parent === undefined) {
      throw new InvalidBlockError(
        `uncle ${i}: its parentHash is not the hash of an ancestor 2 to ${MAX_GENERATIONS} blocks back`,
      )
    }
    try {
      validateHeader(uncle, parent, rulesOf(uncle), crypto)
    } catch (error) {
      throw error instanceof InvalidBlockError ? new InvalidBlockError(`uncle ${i}: ${error.message}`) : error
    }
  }
}

const ZERO_NONCE = `0x${'00'.repeat(8)}`

function expectField(name: string, got: bigint | string, expected: bigint | string): void {
  if (got !== expected) throw new InvalidBlockError(`its ${name} is ${got}, expected ${expected}`)
}

function isGasLimitWithin(gasLimit: bigint, parent: bigint): boolean {
  const step = parent / 1024n
  const isInRange = gasLimit >= MIN_GAS_LIMIT && gasLimit <= MAX_GAS_LIMIT
  return isInRange && gasLimit < parent + step && gasLimit > parent - step
}

/** Whether a block is one of the first ten of the DAO fork, which have fixed extra data (EIP-779). */
function isOfDAOFork(number: bigint, { schedule }: Rules): boolean {
  const first = daoForkBlock(schedule)
  return first !== undefined && number >= first && number < first + 10n
}

/** Returns the difficulty of proof of work, including the hardfork's difficulty bomb, as computed by @ethereumjs. */
function canonicalDifficulty(header: Header, parent: Header, rules: Rules, crypto: Crypto): bigint {
  const { number, timestamp, difficulty, sha3Uncles } = parent
  // Only these fields are read. The parent is not converted, since its rules may differ.
  const before = { number, timestamp, difficulty, uncleHash: hexToBytes(sha3Uncles) }
  return toEthereumjsHeader(header, rules, crypto).ethashCanonicalDifficulty(before as BlockHeader)
}

/** Fields of a header that follow from execution, the most telling first. */
const EXECUTED_FIELDS = ['gasUsed', 'logsBloom', 'receiptsRoot', 'requestsHash', 'stateRoot'] as const

/**
 * Executes a validated block, and compares the result with its header.
 *
 * @throws InvalidBlockError if a transaction is not allowed, or a field of the header differs. Since Prague, also if a
 *   request contract fails or has no code.
 */
export async function executeBlock(
  config: PayloadConfig,
  { header, uncles, withdrawals }: StoredBlock,
  transactions: readonly Transaction[],
  rules: Rules,
  parent: PayloadParent,
  pause: Yielder,
): Promise<Payload> {
  const attributes = attributesOf(header, rules.chainId)
  const env = executedEnv(header, rules, hashesUpTo(parent))
  const builder = new BlockBuilder(config, openBlock(config, parent, attributes, env), pause)
  await builder.begin()
  for (const [index, tx] of transactions.entries()) {
    if (tx.gasLimit > builder.gasLeft) throw toBlockError(new BlockGasLimitError(), index)
    const outcome = await builder.add(tx)
    if (outcome.kind === 'rejected') throw toBlockError(outcome.error, index)
    const wait = pause()
    if (wait) await wait
  }
  const payload = await builder.end(0, { uncles, withdrawals, check: checkRequestCall })
  await payload.commitment.prepare(pause)
  const built = payload.block.header
  const differs = (name: keyof Header): boolean => header[name] !== built[name]
  const field = EXECUTED_FIELDS.find(differs) ?? LATER_FIELDS.find(({ name }) => differs(name))?.name
  if (field !== undefined) throw new InvalidBlockError(`its ${field} does not match its execution`)
  return payload
}
