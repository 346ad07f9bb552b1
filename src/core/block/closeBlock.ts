/** Ends a block with withdrawals, and shows its requests: what blocks under construction do not need. */

import { bytesToHex, concatBytes } from '../../base/bytes.ts'
import { encodeRlp } from '../../base/rlp.ts'
import type { Hash } from '../../base/types.ts'
import { whenLoaded, type Yielder } from '../../base/waiting.ts'
import type { Withdrawal } from '../../ethereum/block.ts'
import { encodeWithdrawal } from '../../ethereum/blockEncoding.ts'
import { createHeader, type Header, hashHeader, nextExcessBlobGas } from '../../ethereum/header.ts'
import { Overlay } from '../../ethereum/state/overlay.ts'
import { listRoot } from '../../ethereum/state/trie.ts'
import type { Payload, PayloadConfig } from './payload.ts'
import { endBlock, payWithdrawals } from './systemCalls.ts'

/** A block that has ended. */
export interface ClosedBlock {
  readonly header: Header
  readonly hash: Hash
  /** Its requests, each with its type in front (EIP-7685); types without requests are left out. */
  readonly requests: readonly Uint8Array[]
}

/**
 * Ends the block of a payload, which stays as it is.
 *
 * @param withdrawals - none before Shanghai.
 */
export async function closeBlock(
  config: PayloadConfig,
  { attributes, env, base }: Payload,
  withdrawals: readonly Withdrawal[],
  pause: Yielder,
): Promise<ClosedBlock> {
  const { number, rules } = env
  const { changes, requestsHash, requests } = await whenLoaded(async () => {
    const overlay = new Overlay(base.layer)
    const outputs = [base.deposits]
    const hash = await endBlock(env, base.deposits, config.executor, overlay, pause, (_contract, result) => {
      outputs.push(result?.output ?? new Uint8Array(0))
    })
    payWithdrawals(withdrawals, overlay)
    const shown = outputs.map((output, type) => concatBytes(Uint8Array.of(type), output))
    return {
      changes: overlay.changes(),
      requestsHash: hash,
      requests: shown.filter(({ length }) => length > 1),
    }
  })
  const commitment = base.commitment.with({ changes, transactions: [], receipts: [] })
  await commitment.prepare(pause)
  const { header: parent, hash: parentHash } = base.parent.block
  const encoded = withdrawals.map((one) => encodeRlp(encodeWithdrawal(one)))
  const header = createHeader(
    {
      ...commitment.fields(),
      parentHash,
      miner: attributes.coinbase,
      number,
      gasLimit: attributes.gasLimit,
      gasUsed: base.gasUsed,
      timestamp: attributes.timestamp,
      extraData: attributes.extraData,
      mixHash: attributes.prevRandao,
      baseFeePerGas: attributes.baseFee,
      ...(rules.fork.shanghai && { withdrawalsRoot: bytesToHex(listRoot(encoded, config.crypto)) }),
      blobGasUsed: base.blobGasUsed,
      excessBlobGas: rules.fork.cancun ? nextExcessBlobGas(parent, rules) : 0n,
      parentBeaconBlockRoot: attributes.beaconRoot,
      requestsHash,
    },
    rules,
  )
  return { header, hash: hashHeader(header), requests }
}
