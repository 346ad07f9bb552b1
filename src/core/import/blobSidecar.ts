/**
 * Blob transactions as submitted: with a sidecar, in the network's wrapper.
 *
 *   0x03 ‖ rlp([transaction, blobs, commitments, proofs])             one proof per blob (EIP-4844)
 *   0x03 ‖ rlp([transaction, 1, blobs, commitments, cell proofs])     128 proofs per blob, since Osaka (EIP-7594)
 *
 * A verified sidecar is discarded: blocks contain transactions without it, and no method serves blobs.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, concatBytes } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import { decodeFirstRlp, decodeRlp } from '../../base/rlp.ts'
import type { Address, Hash } from '../../base/types.ts'
import { checkRlp, type DecodeTransaction } from '../../ethereum/decodeTransaction.ts'
import { InvalidSidecarError, MissingSidecarError, TransactionDecodeError } from '../../ethereum/errors.ts'
import type { Rules } from '../../ethereum/rules.ts'
import { CELLS_PER_BLOB, type Transaction } from '../../ethereum/transaction.ts'
import { checkBlobs } from '../../ethereum/validity.ts'

const BLOB_SIZE = 131_072
/** The size of commitments and proofs. */
const POINT_SIZE = 48

interface Sidecar {
  /** 0 with a proof per blob, 1 with a proof per cell. */
  readonly version: 0 | 1
  readonly blobs: readonly Uint8Array[]
  readonly commitments: readonly Uint8Array[]
  readonly proofs: readonly Uint8Array[]
}

/**
 * Decodes a blob transaction from the wrapper, and verifies its sidecar. The first call loads the KZG library.
 * Verifying a blob takes tens of milliseconds, or hundreds with cell proofs.
 *
 * Since Osaka both versions are accepted, as by go-ethereum's RPC, which converts version 0 to cell proofs.
 *
 * @param onSender - called with the sender, before the sidecar is verified.
 * @throws MissingSidecarError, InvalidSidecarError, TransactionRejectedError
 */
export async function decodeBlobTransaction(
  raw: Uint8Array,
  rules: Rules,
  crypto: Crypto,
  decode: DecodeTransaction,
  onSender?: (sender: Address) => void,
): Promise<Transaction> {
  const { envelope, sidecar } = unwrap(raw)
  const tx = decode(envelope, rules, crypto)
  onSender?.(tx.from)
  if (sidecar === undefined) throw new MissingSidecarError()
  const error = checkBlobs(tx, rules.fork, rules.blobs.maxGas)
  if (error !== undefined) throw error
  if (sidecar.version === 1 && !rules.fork.osaka)
    throw new InvalidSidecarError('version 1 is not supported before Osaka')
  compare(sidecar, tx.blobVersionedHashes!)
  await verifyProofs(sidecar)
  return tx
}

/** Separates transaction and sidecar. Without a wrapper, all bytes are the transaction. */
function unwrap(raw: Uint8Array): { envelope: Uint8Array; sidecar?: Sidecar } {
  let fields: unknown
  checkRlp(raw, 1)
  try {
    fields = decodeRlp(raw.subarray(1))
  } catch {
    return { envelope: raw }
  }
  if (!Array.isArray(fields) || !Array.isArray(fields[0])) return { envelope: raw }
  const sidecar = readSidecar(fields.slice(1))
  // Copied, not encoded again, so that non-canonical encodings are still refused.
  const prefix = raw[1]! < 0xf8 ? 1 : raw[1]! - 0xf6
  const content = raw.subarray(1 + prefix)
  const { end } = decodeFirstRlp(content)
  return { envelope: concatBytes(raw.subarray(0, 1), content.subarray(0, end)), sidecar }
}

function readSidecar(fields: readonly unknown[]): Sidecar {
  const versioned = fields.length === 4
  if (fields.length !== 3 && !versioned)
    throw new TransactionDecodeError('expected a wrapper of 4 or 5 fields')
  const [version] = fields
  if (versioned && !(version instanceof Uint8Array && version.length === 1 && version[0] === 1)) {
    throw new InvalidSidecarError('unknown version, expected 1')
  }
  const [blobs, commitments, proofs] = versioned ? fields.slice(1) : fields
  return {
    version: versioned ? 1 : 0,
    blobs: readList(blobs, 'blob', BLOB_SIZE),
    commitments: readList(commitments, 'commitment', POINT_SIZE),
    proofs: readList(proofs, 'proof', POINT_SIZE),
  }
}

function readList(list: unknown, name: string, size: number): Uint8Array[] {
  const sized = (item: unknown) => item instanceof Uint8Array && item.length === size
  if (!Array.isArray(list) || !list.every(sized)) {
    throw new TransactionDecodeError(`expected a list of ${name}s of ${size} bytes`)
  }
  return list
}

function compare({ version, blobs, commitments, proofs }: Sidecar, hashes: readonly Hash[]): void {
  const perBlob = version === 1 ? CELLS_PER_BLOB : 1
  for (const [name, got, wanted] of [
    ['blobs', blobs.length, hashes.length],
    ['commitments', commitments.length, hashes.length],
    ['proofs', proofs.length, hashes.length * perBlob],
  ] as const) {
    if (got === wanted) continue
    throw new InvalidSidecarError(
      `expected ${wanted} ${name} for ${hashes.length} versioned hashes, got ${got}`,
    )
  }
  const mismatch = commitments.findIndex((one, i) => `0x01${bytesToHex(sha256(one)).slice(4)}` !== hashes[i])
  if (mismatch >= 0) throw new InvalidSidecarError(`commitment ${mismatch} does not match its versioned hash`)
}

async function verifyProofs({ version, blobs, commitments, proofs }: Sidecar): Promise<void> {
  const { verifyBlobProofs, verifyCellProofs } = await import('../../ethereum/kzg.ts')
  const verify = version === 1 ? verifyCellProofs : verifyBlobProofs
  const holds = verify(blobs.map(bytesToHex), commitments.map(bytesToHex), proofs.map(bytesToHex))
  if (!holds) throw new InvalidSidecarError('a KZG proof is not valid')
}
