import { type Hex, hexToBytes } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, test } from 'vitest'
import { openMemoryDatabase } from '../../../src/core/ledger/memoryDatabase.ts'
import {
  BlobFeeCapTooLowError,
  BlobHashVersionError,
  InsufficientFundsError,
} from '../../../src/ethereum/errors.ts'
import { hardforkConfig } from '../../../src/ethereum/rules.ts'
import type { TxEnv } from '../../../src/ethereum/transaction.ts'
import type { GethGenesis } from '../../../src/index.ts'
import { type BlobDraft, provenBlob, signBare, wrap } from '../../blobs.ts'
import { sample } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { hex, push } from './programs.ts'
import { COINBASE, createBench, ETHER, SENDER, slotOf, TARGET } from './setup.ts'

const BLOB_GAS = 131_072n

describe('EIP-4844 blobs', () => {
  describe('a transaction with blobs', () => {
    const hash: Hex = `0x01${'22'.repeat(31)}`
    const blobs: Partial<TxEnv> = { type: 3, blobVersionedHashes: [hash, hash], maxFeePerBlobGas: 9n }
    const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 2n }

    test.each([
      ['a transfer', '0x'],
      ['a call', '0x5f'],
      ['a call that reverts', '0x5f5ffd'],
    ] as const)('burns their price at the blob base fee, with any outcome: %s', async (_, code) => {
      const accounts = code === '0x' ? {} : { [TARGET]: { code } }
      const bench = await createBench('prague', accounts, { baseFee: 7n, blobBaseFee: 5n })
      const { gasUsed } = await bench.include({ ...blobs, ...fees })
      expect([bench.state.account(SENDER)?.balance, bench.state.account(COINBASE)?.balance]).toEqual([
        ETHER - gasUsed * 9n - 2n * BLOB_GAS * 5n,
        gasUsed * 2n,
      ])
    })

    test('has its hashes read by BLOBHASH', async () => {
      const store = (index: number) => `${push(index)}49${push(index)}55`
      const bench = await createBench('prague', { [TARGET]: { code: hex(store(0) + store(1) + store(2)) } })
      const other: Hex = `0x01${'33'.repeat(31)}`
      await bench.include({ ...blobs, blobVersionedHashes: [hash, other] })
      expect([0, 1, 2].map((slot) => slotOf(bench.state, TARGET, slot))).toEqual([
        BigInt(hash),
        BigInt(other),
        0n,
      ])
    })

    test('needs a balance for the most it may pay', async () => {
      const most = 1_000_000n * 10n + 2n * BLOB_GAS * 9n
      const enough = await createBench('prague', { [SENDER]: { balance: most } })
      expect(await enough.run({ ...blobs, ...fees })).toMatchObject({ kind: 'included' })
      const short = await createBench('prague', { [SENDER]: { balance: most - 1n } })
      expect(await short.run({ ...blobs, ...fees })).toEqual({
        kind: 'rejected',
        error: new InsufficientFundsError(),
        retryable: false,
      })
    })

    test('waits while the blob base fee is above its cap', async () => {
      const bench = await createBench('prague', {}, { blobBaseFee: 10n })
      expect(await bench.run(blobs)).toEqual({
        kind: 'rejected',
        error: new BlobFeeCapTooLowError(9n, 10n),
        retryable: true,
      })
    })

    test('is rejected as invalid if a hash has another version', async () => {
      const bench = await createBench('prague')
      expect(await bench.run({ ...blobs, blobVersionedHashes: [hash, `0x02${'22'.repeat(31)}`] })).toEqual({
        kind: 'rejected',
        error: new BlobHashVersionError(1),
        retryable: false,
      })
    })
  })

  /** The first accounts of the default mnemonic. */
  const KEYS: readonly Hex[] = [
    '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
    '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  ]

  async function send(chain: TestChain, from: number, count: number, draft: BlobDraft = {}): Promise<Hex> {
    const blobs = Array(count).fill(provenBlob())
    const raw = wrap(await signBare(KEYS[from]!, blobs, draft), blobs)
    return (await chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })) as Hex
  }

  const blobBaseFee = async (chain: TestChain) =>
    BigInt(await chain.preconf.request({ method: 'eth_blobBaseFee', params: [] }))

  const hashesOf = ({ block }: Awaited<ReturnType<TestChain['seal']>>) =>
    block.transactions.map((tx) => (typeof tx === 'string' ? tx : tx.hash))

  /** The maximum and the target of a block, in blobs. */
  const SCHEDULE = { cancun: [6, 3], prague: [9, 6], osaka: [9, 6] } as const

  it.each(sample(['cancun', 'prague', 'osaka'] as const, 1))(
    'fill blocks of %s up to their maximum; what does not fit waits, and the excess follows',
    async (hardfork) => {
      const [max, target] = SCHEDULE[hardfork]
      const follow = (excess: bigint, count: number): bigint => {
        const over = excess + BigInt(count - target) * BLOB_GAS
        if (over < 0n) return 0n
        // Blobs cost far less than the gas that would verify them, so their price can only rise (EIP-7918).
        return hardfork === 'osaka'
          ? excess + (BigInt(count * (max - target)) * BLOB_GAS) / BigInt(max)
          : over
      }
      const chain = await startChain({ hardfork, blobs: true })
      const expected: unknown[] = []
      const got: unknown[] = []
      let excess = 0n
      for (const nonce of [0, 1]) {
        const hashes = [
          await send(chain, 0, max - 4, { nonce }),
          await send(chain, 1, 4, { nonce }),
          await send(chain, 2, 2, { nonce }),
        ]
        for (const [included, count] of [[hashes.slice(0, 2), max] as const, [hashes.slice(2), 2] as const]) {
          const sealed = await chain.seal()
          got.push([hashesOf(sealed), BigInt(sealed.block.blobGasUsed!), BigInt(sealed.block.excessBlobGas!)])
          expected.push([included, BigInt(count) * BLOB_GAS, excess])
          excess = follow(excess, count)
        }
      }
      expect(got).toEqual(expected)
    },
  )

  /** A genesis after which the blob base fee is well above its minimum. */
  const CROWDED = {
    config: hardforkConfig(31337, 'cancun'),
    alloc: Object.fromEntries(
      KEYS.map((key) => [privateKeyToAccount(key).address, { balance: '0x8ac7230489e80000' }]),
    ),
    gasLimit: '0x1c9c380',
    baseFeePerGas: '0x7',
    excessBlobGas: '0x4000000',
  } as unknown as GethGenesis

  it('have their price in receipts, headers and fee history, also after a restart from a database', async () => {
    const database = await openMemoryDatabase()
    const chain = await startChain({ genesis: CROWDED, blobs: true, database })
    const price = await blobBaseFee(chain)
    expect(price).toBeGreaterThan(1_000_000n)
    const cheap = await send(chain, 1, 1, { maxFeePerBlobGas: price - 1n })
    const hash = await send(chain, 0, 6, { maxFeePerBlobGas: price })
    const sealed = await chain.seal()
    expect(hashesOf(sealed)).toEqual([hash])
    expect(sealed.receipts[0]).toMatchObject({
      blobGasUsed: '0xc0000',
      blobGasPrice: `0x${price.toString(16)}`,
    })
    const next = await blobBaseFee(chain)
    // Twice the target: the steepest rise of EIP-4844.
    expect(Number(next) / Number(price)).toBeCloseTo(Math.exp(393_216 / 3_338_477), 5)
    const status = { method: 'chain_transactionStatus', params: [cheap] } as const
    expect(await chain.preconf.request(status)).toEqual({ status: 'Known', stage: 'queued' })
    const history = { method: 'eth_feeHistory', params: ['0x1', 'latest', []] } as const
    expect(await chain.standard.request(history)).toMatchObject({
      baseFeePerBlobGas: [`0x${price.toString(16)}`, `0x${next.toString(16)}`],
      blobGasUsedRatio: [1],
    })
    const raw = { method: 'eth_getRawTransactionByHash', params: [cheap] } as const
    const bare = await signBare(KEYS[1]!, [provenBlob()], { maxFeePerBlobGas: price - 1n })
    expect(await chain.preconf.request(raw)).toBe(bare)

    await chain.finish()
    const reopened = await startChain({ genesis: CROWDED, database })
    const latest = { method: 'eth_getBlockByNumber', params: ['latest', false] } as const
    expect(await reopened.standard.request(latest)).toMatchObject({
      hash: sealed.block.hash,
      blobGasUsed: '0xc0000',
    })
  })

  it('keeps imported blob transactions that are withdrawn, even if none may be sent', async () => {
    const other = await startChain({ blobs: true })
    const hash = await send(other, 0, 1)
    await other.seal()
    const raw = await other.standard.request({ method: 'debug_getRawBlock', params: ['latest'] })
    const chain = await startChain({ blobs: false })
    await chain.importBlocks(hexToBytes(raw))
    const drops: unknown[] = []
    chain.on('dropped', (drop) => drops.push(drop))
    await chain.reorg({ depth: 1 })
    expect(drops).toEqual([])
    expect(hashesOf(await chain.seal())).toEqual([hash])
  })

  it('are rejected unless the option allows them, and always before Cancun', async () => {
    const refusing = await startChain({ hardfork: 'prague' })
    await expect(send(refusing, 0, 1)).rejects.toThrow(
      'blob transactions are not accepted by this chain (its option blobs is off)',
    )
    const early = await startChain({ hardfork: 'shanghai', blobs: true })
    await expect(send(early, 0, 1)).rejects.toThrow('transaction type not supported')
  })
})
