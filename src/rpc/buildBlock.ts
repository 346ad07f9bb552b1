/** testing_buildBlockV1, in a lazy chunk. */

import { bytesToHex, quantity, ZERO_HASH } from '../base/bytes.ts'
import { InvalidParamsError, SchemaError } from '../base/errors.ts'
import { decodeRlp, type RlpItem } from '../base/rlp.ts'
import type { RpcBuiltBlock } from '../base/rpcTypes.ts'
import { array, object, optional, refine, type ValueOf } from '../base/schema.ts'
import type { Hex } from '../base/types.ts'
import { leastTimestamp, nextAttributes, type PayloadAttributes } from '../core/block/attributes.ts'
import { BlockBuilder } from '../core/block/blockBuilder.ts'
import { EarlyWithdrawalsError } from '../core/block/errors.ts'
import { includeAll } from '../core/block/inclusion.ts'
import { openBlock, type PayloadParent } from '../core/block/payload.ts'
import type { BlockReference } from '../core/view/sources.ts'
import { decodeTransaction } from '../ethereum/decodeTransaction.ts'
import { BlockGasLimitError } from '../ethereum/errors.ts'
import type { Rules } from '../ethereum/rules.ts'
import { effectiveTip, type Transaction } from '../ethereum/transaction.ts'
import { toRpcWithdrawal } from './format/format.ts'
import { createPause, type RpcContext } from './method.ts'
import { withdrawal } from './params/callObject.ts'
import { address, data, hash32, parseParam, quantity64 } from './params/params.ts'

type Given = ValueOf<typeof payloadAttributes>

interface GivenTransaction {
  readonly tx: Transaction
  readonly sidecar?: RpcBuiltBlock['blobsBundle'] | undefined
}

/** Builds a block without storing it, by default from the mempool. @throws as testing_buildBlockV1 does */
export async function buildBlock(
  context: RpcContext,
  reference: BlockReference,
  attributesParam: { readonly value: unknown },
  raws: readonly Uint8Array[] | undefined,
  extraParam?: { readonly value: unknown },
): Promise<RpcBuiltBlock> {
  const given = parseParam(attributesParam.value, 1, payloadAttributes)
  const extra = extraParam === undefined ? '0x' : bytesToHex(parseParam(extraParam.value, 3, extraData))
  const { viewed } = context
  const { chainId, ...parent } = await viewed.requireParent(reference)
  const attributes = { ...toAttributes(context, parent, given), chainId, extraData: extra }
  const pause = createPause(context)
  const { config } = viewed.tip.base
  const start = openBlock(config, parent, attributes)
  const { rules } = start.env
  if (!rules.fork.paris) throw new InvalidParamsError('0', 'a block that is followed by one after the merge')
  if (!rules.fork.shanghai && given.withdrawals?.length) throw new EarlyWithdrawalsError()

  const { withdrawals = [] } = given
  const builder = new BlockBuilder(config, start, pause)
  await builder.begin()
  const included = raws && (await Promise.all(raws.map((raw) => decode(context, raw, rules))))
  if (included === undefined) await fillFromMempool(context, parent, builder)
  else await addAll(builder, included)
  const { block, commitment, requests } = await builder.end(0, { withdrawals })
  await commitment.prepare(pause)
  const { header, hash, transactions, receipts } = block
  const value = transactions.reduce(
    (sum, tx, i) => sum + effectiveTip(tx, attributes.baseFee) * receipts[i]!.gasUsed,
    0n,
  )
  const { fork } = rules
  return {
    executionPayload: {
      parentHash: header.parentHash,
      feeRecipient: header.miner,
      stateRoot: header.stateRoot,
      receiptsRoot: header.receiptsRoot,
      logsBloom: header.logsBloom,
      prevRandao: header.mixHash,
      blockNumber: quantity(header.number),
      gasLimit: quantity(header.gasLimit),
      gasUsed: quantity(header.gasUsed),
      timestamp: quantity(header.timestamp),
      extraData: header.extraData,
      baseFeePerGas: quantity(attributes.baseFee),
      blockHash: hash,
      transactions: transactions.map(({ raw }) => bytesToHex(raw)),
      ...(fork.shanghai && { withdrawals: withdrawals.map(toRpcWithdrawal) }),
      ...(fork.cancun && {
        blobGasUsed: quantity(header.blobGasUsed!),
        excessBlobGas: quantity(header.excessBlobGas!),
      }),
    },
    blockValue: quantity(value),
    blobsBundle: bundle((included ?? []).flatMap(({ sidecar = [] }) => sidecar)),
    executionRequests: requests.map(bytesToHex),
    shouldOverrideBuilder: false,
  }
}

/** Base fee and default gas limit are as in a block that the chain itself would build on this parent. */
function toAttributes({ viewed }: RpcContext, { block }: PayloadParent, given: Given): PayloadAttributes {
  const { options, config } = viewed.tip.base
  const least = leastTimestamp(options, block)
  if (given.timestamp < least) throw new InvalidParamsError('1.timestamp', `at least ${quantity(least)}`)
  const target = given.targetGasLimit ?? viewed.tip.settings.gasLimit ?? options.gasLimit
  return {
    ...nextAttributes({ options: { ...options, gasLimit: target }, config }, block, 0),
    timestamp: given.timestamp,
    coinbase: given.suggestedFeeRecipient,
    baseFee: viewed.nextBaseFee(block),
    prevRandao: given.prevRandao,
    beaconRoot: given.parentBeaconBlockRoot ?? ZERO_HASH,
  }
}

/** @throws TransactionRejectedError for the first transaction that does not fit or is invalid */
async function addAll(builder: BlockBuilder, transactions: readonly GivenTransaction[]): Promise<void> {
  for (const { tx } of transactions) {
    if (!builder.hasRoomFor(tx)) throw new BlockGasLimitError()
    const outcome = await builder.add(tx)
    if (outcome.kind === 'rejected') throw outcome.error
    const wait = builder.pause()
    if (wait) await wait
  }
}

/** Adds the waiting transactions. If the parent is the head, adds the pre-confirmed transactions before them. */
async function fillFromMempool(
  { viewed, control }: RpcContext,
  { block }: PayloadParent,
  builder: BlockBuilder,
): Promise<void> {
  const { tip } = viewed
  const preconfirmed = block.hash === tip.head.block.hash ? tip.preconf.block.transactions : []
  await includeAll(builder, [...preconfirmed, ...control.cheats.mempool.best()])
}

/** Decodes a transaction as blocks contain it or, if it has a blob sidecar, as clients send it. */
async function decode({ send, read }: RpcContext, raw: Uint8Array, rules: Rules): Promise<GivenTransaction> {
  const sidecar = raw[0] === 3 ? readSidecar(raw) : undefined
  if (sidecar === undefined) return { tx: decodeTransaction(raw, rules, read.crypto) }
  return { tx: await send.decode(raw), sidecar }
}

/** Reads the sidecar of a blob transaction, undefined if it has none. `send.decode` checks its form later. */
function readSidecar(raw: Uint8Array): RpcBuiltBlock['blobsBundle'] | undefined {
  let fields: RlpItem
  try {
    fields = decodeRlp(raw.subarray(1))
  } catch {
    return undefined
  }
  if (fields instanceof Uint8Array || fields[0] instanceof Uint8Array) return undefined
  const [blobs, commitments, proofs] = fields.slice(-3).map(toHexList)
  return { commitments: commitments ?? [], proofs: proofs ?? [], blobs: blobs ?? [] }
}

function toHexList(list: RlpItem): Hex[] {
  return list instanceof Uint8Array
    ? []
    : list.flatMap((item) => (item instanceof Uint8Array ? bytesToHex(item) : []))
}

function bundle(sidecars: readonly RpcBuiltBlock['blobsBundle'][]): RpcBuiltBlock['blobsBundle'] {
  return {
    commitments: sidecars.flatMap(({ commitments }) => commitments),
    proofs: sidecars.flatMap(({ proofs }) => proofs),
    blobs: sidecars.flatMap(({ blobs }) => blobs),
  }
}

/** PayloadAttributesV4 of the engine API. Fields that hardforks after the merge have added are optional. */
export const payloadAttributes = object({
  timestamp: quantity64,
  prevRandao: hash32,
  suggestedFeeRecipient: address,
  withdrawals: optional(array(withdrawal)),
  parentBeaconBlockRoot: optional(hash32),
  targetGasLimit: optional(quantity64),
})

/** Extra data of a block: at most 32 bytes. */
export const extraData = refine(data, (bytes, path) => {
  if (bytes.length > 32) throw new SchemaError(path, 'at most 32 bytes')
  return bytes
})
