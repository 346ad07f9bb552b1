/** Executes stored blocks again, and requires the same result. Builds the sequencer's blocks, imports external ones. */

import { TransactionRejectedError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'
import type { StoredBlock } from '../../ethereum/block.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'
import { hashHeader } from '../../ethereum/header.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { attributesOf } from '../block/attributes.ts'
import { BlockBuilder } from '../block/blockBuilder.ts'
import { type Executed, openBlock, type PayloadParent, toExecuted } from '../block/payload.ts'
import { ReplayError } from './errors.ts'
import { isExternal } from './importBlocks.ts'
import type { StartParts } from './start.ts'

/** Executes a stored block as it was executed before it was stored. @throws ReplayError if the result differs */
export function executeAgain(
  stored: StoredBlock,
  hash: Hash,
  parent: PayloadParent,
  parts: Pick<StartParts, 'config' | 'decode' | 'importer'>,
): Promise<Executed> {
  return isExternal(stored) ? importAgain(stored, hash, parent, parts) : execute(stored, hash, parent, parts)
}

async function execute(
  { header, transactions, unsigned, chainId }: StoredBlock,
  hash: Hash,
  parent: PayloadParent,
  { config, decode }: Pick<StartParts, 'config' | 'decode'>,
): Promise<Executed> {
  const chainRules = config.rules.withChainId(chainId)
  const attributes = attributesOf(header, chainRules.chainId)
  const builder = new BlockBuilder(config, openBlock(config, parent, attributes))
  await builder.begin()
  const rules = chainRules.at(header.number, header.timestamp)
  for (const [index, raw] of transactions.entries()) {
    const refused = (error: Error) =>
      new ReplayError(header.number, `its transaction ${index} is invalid (${error.message})`)
    let tx: Transaction
    try {
      tx = decode(raw, rules, config.crypto, unsigned?.get(index))
    } catch (error) {
      throw error instanceof TransactionRejectedError ? refused(error) : error
    }
    const outcome = await builder.add(tx)
    if (outcome.kind === 'rejected') throw refused(outcome.error)
  }
  const payload = await builder.end()
  const { block } = payload
  // The builder computes the fields that follow from execution, so the stored header is checked separately.
  if (block.hash === hash && hashHeader(header) === hash) return toExecuted(payload)
  const field = EXECUTED_FIELDS.find((name) => header[name] !== block.header[name]) ?? 'hash'
  throw new ReplayError(header.number, `its ${field} does not match its execution`)
}

async function importAgain(
  stored: StoredBlock,
  hash: Hash,
  parent: PayloadParent,
  { importer }: Pick<StartParts, 'importer'>,
): Promise<Executed> {
  if (hashHeader(stored.header) !== hash)
    throw new ReplayError(stored.header.number, 'its hash does not match its header')
  try {
    return await importer.execute(stored, parent)
  } catch (error) {
    throw error instanceof InvalidBlockError ? new ReplayError(stored.header.number, error.message) : error
  }
}

/** Fields of a header that follow from execution, the most telling first. */
const EXECUTED_FIELDS = [
  'stateRoot',
  'receiptsRoot',
  'gasUsed',
  'logsBloom',
  'transactionsRoot',
  'requestsHash',
] as const
