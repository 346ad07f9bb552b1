import { type Hex, hexToBytes, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/bytes.ts'
import { type Crypto, loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { PresealRpcError } from '../../../src/base/errors.ts'
import { decodeBlobTransaction } from '../../../src/core/import/blobSidecar.ts'
import { toGethGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import { decodeTransaction } from '../../../src/ethereum/decodeTransaction.ts'
import { createChainRules, type Rules } from '../../../src/ethereum/rules.ts'
import type { Hardfork } from '../../../src/index.ts'
import { provenBlob, signBare, wrap, wrapFields } from '../../blobs.ts'
import { readJson, readText } from '../../conformance/folder.ts'
import { EXECUTION_APIS } from '../../conformance/served.ts'
import { ALICE_KEY } from '../../signing.ts'

let crypto: Crypto
describe('blobSidecar', () => {
  beforeAll(async () => {
    crypto = await loadCrypto()
  })

  function rulesOf(hardfork: Hardfork, chainId = 31337): Rules {
    const genesis = toGethGenesis(resolveOptions({ hardfork, chainId }), [], 0n)
    return createChainRules(genesis).at(1n, 1n)
  }

  const decode = (raw: Hex, hardfork: Hardfork) =>
    decodeBlobTransaction(hexToBytes(raw), rulesOf(hardfork), crypto, decodeTransaction)

  async function refusal(raw: Hex, hardfork: Hardfork = 'prague'): Promise<string> {
    const error = await decode(raw, hardfork).then(
      () => 'accepted',
      (error) => error,
    )
    return error instanceof PresealRpcError ? `${error.code} ${error.name}: ${error.message}` : String(error)
  }

  it.each([
    ['cancun', 0],
    ['prague', 0],
    ['osaka', 0],
    ['osaka', 1],
  ] as const)(
    'decodes on %s a wrapper of version %i to the transaction that blocks hold',
    async (fork, version) => {
      const blobs = [provenBlob(1n), provenBlob(5n)]
      const bare = await signBare(ALICE_KEY, blobs)
      expect(await decode(wrap(bare, blobs, version), fork)).toMatchObject({
        type: 3,
        hash: keccak256(bare),
        raw: hexToBytes(bare),
        from: privateKeyToAccount(ALICE_KEY).address.toLowerCase(),
        blobVersionedHashes: blobs.map(({ versionedHash }) => versionedHash),
      })
    },
  )

  it('rejects a sidecar whose parts do not match', async () => {
    const [a, b] = [provenBlob(1n), provenBlob(5n)]
    const bare = await signBare(ALICE_KEY, [a, b])
    const [blobs, commitments, proofs] = [
      [a.blob, b.blob],
      [a.commitment, b.commitment],
      [a.proof, b.proof],
    ]
    const cells = [...a.cellProofs, ...b.cellProofs]
    const cut = (hex: Hex) => hex.slice(0, -2) as Hex
    expect({
      none: await refusal(bare),
      'no blobs in it': await refusal(wrapFields(bare, [[], [], []])),
      'a blob too few': await refusal(wrapFields(bare, [[a.blob], commitments, proofs])),
      'a commitment too many': await refusal(
        wrapFields(bare, [blobs, [...commitments, a.commitment], proofs]),
      ),
      'a proof too few': await refusal(wrapFields(bare, [blobs, commitments, [a.proof]])),
      'proofs of cells, but no version': await refusal(
        wrapFields(bare, [blobs, commitments, cells]),
        'osaka',
      ),
      'a version, but no proofs of cells': await refusal(
        wrapFields(bare, ['0x01', blobs, commitments, proofs]),
        'osaka',
      ),
      'another order': await refusal(wrap(bare, [b, a])),
      'a proof of another blob': await refusal(wrapFields(bare, [blobs, commitments, [a.proof, a.proof]])),
      'a blob of another commitment': await refusal(
        wrapFields(bare, [[a.blob, a.blob], commitments, proofs]),
      ),
      'a proof of another cell': await refusal(
        wrapFields(bare, ['0x01', blobs, commitments, cells.with(5, b.cellProofs[0]!)]),
        'osaka',
      ),
      'version 0 by name': await refusal(wrapFields(bare, ['0x', blobs, commitments, proofs])),
      'version 2': await refusal(wrapFields(bare, ['0x02', blobs, commitments, cells]), 'osaka'),
      'version 1 before Osaka': await refusal(wrap(bare, [a, b], 1)),
      'a blob cut short': await refusal(wrapFields(bare, [[cut(a.blob), b.blob], commitments, proofs])),
      'a commitment cut short': await refusal(
        wrapFields(bare, [blobs, [cut(a.commitment), b.commitment], proofs]),
      ),
      'a proof cut short': await refusal(wrapFields(bare, [blobs, commitments, [a.proof, cut(b.proof)]])),
      'a list for a blob': await refusal(
        wrapFields(bare, [[[a.blob] as never, b.blob], commitments, proofs]),
      ),
      'no lists': await refusal(wrapFields(bare, ['0x', '0x', '0x'])),
      'two fields': await refusal(wrapFields(bare, [blobs, commitments])),
    }).toMatchInlineSnapshot(`
      {
        "a blob cut short": "-32000 TransactionDecodeError: rlp: expected a list of blobs of 131072 bytes",
        "a blob of another commitment": "-32000 InvalidSidecarError: invalid blob sidecar: a KZG proof is not valid",
        "a blob too few": "-32000 InvalidSidecarError: invalid blob sidecar: expected 2 blobs for 2 versioned hashes, got 1",
        "a commitment cut short": "-32000 TransactionDecodeError: rlp: expected a list of commitments of 48 bytes",
        "a commitment too many": "-32000 InvalidSidecarError: invalid blob sidecar: expected 2 commitments for 2 versioned hashes, got 3",
        "a list for a blob": "-32000 TransactionDecodeError: rlp: expected a list of blobs of 131072 bytes",
        "a proof cut short": "-32000 TransactionDecodeError: rlp: expected a list of proofs of 48 bytes",
        "a proof of another blob": "-32000 InvalidSidecarError: invalid blob sidecar: a KZG proof is not valid",
        "a proof of another cell": "-32000 InvalidSidecarError: invalid blob sidecar: a KZG proof is not valid",
        "a proof too few": "-32000 InvalidSidecarError: invalid blob sidecar: expected 2 proofs for 2 versioned hashes, got 1",
        "a version, but no proofs of cells": "-32000 InvalidSidecarError: invalid blob sidecar: expected 256 proofs for 2 versioned hashes, got 2",
        "another order": "-32000 InvalidSidecarError: invalid blob sidecar: commitment 0 does not match its versioned hash",
        "no blobs in it": "-32000 InvalidSidecarError: invalid blob sidecar: expected 2 blobs for 2 versioned hashes, got 0",
        "no lists": "-32000 TransactionDecodeError: rlp: expected a list of blobs of 131072 bytes",
        "none": "-32000 MissingSidecarError: missing sidecar in blob transaction",
        "proofs of cells, but no version": "-32000 InvalidSidecarError: invalid blob sidecar: expected 2 proofs for 2 versioned hashes, got 256",
        "two fields": "-32000 TransactionDecodeError: rlp: expected a wrapper of 4 or 5 fields",
        "version 0 by name": "-32000 InvalidSidecarError: invalid blob sidecar: unknown version, expected 1",
        "version 1 before Osaka": "-32000 InvalidSidecarError: invalid blob sidecar: version 1 is not supported before Osaka",
        "version 2": "-32000 InvalidSidecarError: invalid blob sidecar: unknown version, expected 1",
      }
    `)
  })

  it('rejects a wrapped transaction that is invalid', async () => {
    const blob = provenBlob()
    const bare = await signBare(ALICE_KEY, [blob])
    const seven = Array(7).fill(blob)
    expect({
      'nothing at all': await refusal('0x03'),
      'an empty list': await refusal('0x03c0'),
      'cut off': await refusal(wrap(bare, [blob]).slice(0, -2) as Hex),
      'a signature of zero': await refusal(wrap(`${bare.slice(0, -64)}${'00'.repeat(32)}` as Hex, [blob])),
      'more blobs than a block of Cancun has': await refusal(
        wrap(await signBare(ALICE_KEY, seven), seven),
        'cancun',
      ),
      'more blobs than a transaction of Osaka has': await refusal(
        wrap(await signBare(ALICE_KEY, seven), seven, 1),
        'osaka',
      ),
    }).toMatchInlineSnapshot(`
      {
        "a signature of zero": "-32000 TransactionDecodeError: rlp: s cannot have leading zeroes, received: 0x0000000000000000000000000000000000000000000000000000000000000000",
        "an empty list": "-32000 TransactionDecodeError: rlp: Invalid EIP-4844 transaction. Only expecting 11 values",
        "cut off": "-32000 TransactionDecodeError: rlp: invalid RLP: total length is larger than the data",
        "more blobs than a block of Cancun has": "-32000 TooManyBlobsError: too many blobs in transaction: have 7, permitted 6",
        "more blobs than a transaction of Osaka has": "-32000 TooManyBlobsError: too many blobs in transaction: have 7, permitted 6",
        "nothing at all": "-32000 TransactionDecodeError: rlp: Invalid serialized tx input: must be array",
      }
    `)
  })

  it.skipIf(EXECUTION_APIS === undefined)('verifies the proofs of cells of the official vector', async () => {
    const lines = (await readText(EXECUTION_APIS!, 'eth_sendRawTransaction/send-blob-tx.io')).split('\n')
    const payload = (start: string) => JSON.parse(lines.find((line) => line.startsWith(start))!.slice(3))
    const raw = hexToBytes(payload('>> ').params[0])
    const { config } = await readJson<{ config: { chainId: number } }>(EXECUTION_APIS!, 'genesis.json')
    const tx = await decodeBlobTransaction(raw, rulesOf('osaka', config.chainId), crypto, decodeTransaction)
    expect(tx.hash).toBe(payload('<< ').result)

    // Flips one bit of the last proof's coordinate.
    const corrupted = raw.with(-1, raw.at(-1)! ^ 1)
    await expect(
      decodeBlobTransaction(corrupted, rulesOf('osaka', config.chainId), crypto, decodeTransaction),
    ).rejects.toThrow('a KZG proof is not valid')
    expect(bytesToHex(tx.raw).length).toBeLessThan(1000)
  })
})
