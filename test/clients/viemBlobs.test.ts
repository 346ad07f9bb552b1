import { defineKzg, hexToBytes, parseGwei, stringToHex, toBlobs, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { blobProver } from '../blobs.ts'
import { sample } from '../full.ts'
import { startChain, viemOn } from '../harness.ts'

const toBytes = (hex: string) => hexToBytes(hex as `0x${string}`)

/** The library that viem needs for commitments to blobs and proofs of them. */
const kzg = defineKzg({
  blobToKzgCommitment: (blob) => toBytes(blobProver().blobToKzgCommitment(toHex(blob))),
  computeBlobKzgProof: (blob, commitment) =>
    toBytes(blobProver().computeBlobProof(toHex(blob), toHex(commitment))),
})

describe('blob transactions of viem', () => {
  it.each(sample(['cancun', 'prague', 'osaka'] as const, 1))(
    'are sent and included, and have their cost in the receipt, on %s',
    async (hardfork) => {
      const chain = await startChain({ hardfork, blobs: true })
      const { public: preconf, standard, wallet } = viemOn(chain)
      const hash = await wallet().sendTransaction({
        blobs: toBlobs({ data: stringToHex('a blob') }),
        kzg,
        to: chain.accounts[1]!.address,
        maxFeePerBlobGas: parseGwei('30'),
      })
      await chain.tick()
      const costs = { type: 'eip4844', status: 'success', blobGasUsed: 131_072n, blobGasPrice: 1n }
      expect(await preconf.getTransactionReceipt({ hash })).toMatchObject(costs)
      await expect(standard.getTransactionReceipt({ hash })).rejects.toThrow('could not be found')

      await chain.seal()
      expect(await standard.getTransactionReceipt({ hash })).toMatchObject(costs)
      expect(await standard.getTransaction({ hash })).toMatchObject({
        type: 'eip4844',
        maxFeePerBlobGas: parseGwei('30'),
        blobVersionedHashes: [expect.stringMatching(/^0x01[0-9a-f]{62}$/)],
      })
      expect(await standard.getBlock()).toMatchObject({ blobGasUsed: 131_072n, excessBlobGas: 0n })
    },
  )
})
