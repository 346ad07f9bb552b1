import { describe, expect, test } from 'vitest'
import { BlobsRefusedError, UnderpricedError } from '../../../src/core/mempool/errors.ts'
import {
  type AdmissionRules,
  type SenderState,
  validateTransaction,
} from '../../../src/core/mempool/validate.ts'
import {
  BlobCreationError,
  BlobHashVersionError,
  BlockGasLimitError,
  ChainIdMismatchError,
  EmptyAuthorizationListError,
  FloorDataGasError,
  InitCodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  MissingBlobHashesError,
  NonceMaxError,
  NonceTooLowError,
  SenderNotEOAError,
  SetCodeCreationError,
  TipAboveFeeCapError,
  TooManyBlobsError,
  TransactionGasLimitError,
  TransactionTypeError,
} from '../../../src/ethereum/errors.ts'
import type { TxEnv } from '../../../src/ethereum/transaction.ts'
import { forksUpTo } from '../../forks.ts'

const to = '0x00000000000000000000000000000000000000bb'
const paris = forksUpTo('paris')
const cancun = forksUpTo('cancun')
const prague = forksUpTo('prague')
const osaka = forksUpTo('osaka')

const transfer: TxEnv = {
  type: 2,
  from: '0x00000000000000000000000000000000000000aa',
  to,
  nonce: 3n,
  gasLimit: 21_000n,
  value: 1n,
  data: new Uint8Array(),
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
}
const authorization = { chainId: 0n, address: to, nonce: 0n, yParity: 0, r: 1n, s: 1n } as const
const setCode: TxEnv = { ...transfer, type: 4, gasLimit: 46_000n, authorizationList: [authorization] }
const blob: TxEnv = { ...transfer, type: 3, blobVersionedHashes: ['0x01'], maxFeePerBlobGas: 1n }

const blobs = (count = 0): TxEnv => ({ ...blob, blobVersionedHashes: Array(count).fill('0x01') })

const rules: AdmissionRules = {
  chainId: 1n,
  fork: prague,
  maxInitCodeSize: 49_152,
  maxTransactionGas: undefined,
  blobs: false,
  gasLimit: 30_000_000n,
  maxBlobGas: 9n * 131_072n,
  minFeeCap: 0n,
  lowestFeeCap: 7n,
  baseFee: 1_000n,
}
const CAPPED = { maxTransactionGas: 16_777_216n }
const sender: SenderState = { nonce: 3n, balance: 10n ** 18n, isContract: false, committed: 0n }

function check(
  tx: TxEnv & { readonly chainId?: bigint },
  change: Partial<AdmissionRules> = {},
  state: Partial<SenderState> = {},
): () => void {
  return () => validateTransaction(tx, { ...rules, ...change }, { ...sender, ...state })
}

describe('admission rules', () => {
  describe('accepted', () => {
    test.each<[string, () => void]>([
      ['a transfer whose fee cap waits for a lower base fee', check(transfer)],
      ['a nonce ahead of the account', check({ ...transfer, nonce: 9n })],
      ['a fee cap of 7 wei', check({ ...transfer, maxFeePerGas: 7n })],
      [
        'a free transaction if there is no base fee',
        check({ ...transfer, type: 0, gasPrice: 0n }, { baseFee: 0n }),
      ],
      ['set code from Prague on', check(setCode)],
      ['blobs if they are allowed', check(blob, { blobs: true })],
      ['as many blobs as a block may have', check(blobs(9), { blobs: true })],
      ['as many blobs as a transaction may have on Osaka', check(blobs(6), { blobs: true, fork: osaka })],
      ['the whole block as gas limit', check({ ...transfer, gasLimit: 30_000_000n })],
      ['as much gas as a transaction may have', check({ ...transfer, gasLimit: 16_777_216n }, CAPPED)],
      ['a transaction of this chain', check({ ...transfer, chainId: 1n })],
      ['the highest usable nonce', check({ ...transfer, nonce: 2n ** 64n - 2n })],
      ['long init code if nothing limits it', check(creationOf(49_153), { maxInitCodeSize: 49_153 })],
      ['the longest init code', check(creationOf(49_152))],
      ['a balance that is just enough', check(transfer, {}, { balance: 210_001n })],
    ])('%s', (_, run) => {
      expect(run()).toBeUndefined()
    })
  })

  describe('rejected', () => {
    test.each<[string, () => void, Error]>([
      [
        'a transaction of another chain',
        check({ ...transfer, chainId: 2n }),
        new ChainIdMismatchError(2n, 1n),
      ],
      ['set code before Prague', check(setCode, { fork: cancun }), new TransactionTypeError()],
      ['blobs before Cancun', check(blob, { fork: paris, blobs: true }), new TransactionTypeError()],
      ['blobs if they are not allowed', check(blob), new BlobsRefusedError()],
      ['init code over the limit', check(creationOf(49_153)), new InitCodeTooLargeError(49_153, 49_152n)],
      [
        'more gas than the block has',
        check({ ...transfer, gasLimit: 30_000_001n }),
        new BlockGasLimitError(),
      ],
      ['the last nonce', check({ ...transfer, nonce: 2n ** 64n - 1n }), new NonceMaxError()],
      [
        'a tip above the fee cap',
        check({ ...transfer, maxPriorityFeePerGas: 11n }),
        new TipAboveFeeCapError(11n, 10n),
      ],
      [
        'more gas than a transaction may have',
        check({ ...transfer, gasLimit: 16_777_217n }, CAPPED),
        new TransactionGasLimitError(16_777_216n, 16_777_217n),
      ],
      [
        'less than the intrinsic gas',
        check({ ...transfer, gasLimit: 20_999n }),
        new IntrinsicGasError(20_999n, 21_000n),
      ],
      [
        'less than the floor of the data',
        check({ ...transfer, data: Uint8Array.of(1), gasLimit: 21_039n }),
        new FloorDataGasError(21_039n, 21_040n),
      ],
      ['a fee cap below 7 wei', check({ ...transfer, maxFeePerGas: 6n }), new UnderpricedError()],
      [
        'set code that creates',
        check({ ...setCode, to: null, gasLimit: 90_000n }),
        new SetCodeCreationError(),
      ],
      [
        'set code without entries',
        check({ ...setCode, authorizationList: [] }),
        new EmptyAuthorizationListError(),
      ],
      ['a sender with code', check(transfer, {}, { isContract: true }), new SenderNotEOAError()],
      ['a nonce that was used', check(transfer, {}, { nonce: 4n }), new NonceTooLowError()],
      ['a balance one wei short', check(transfer, {}, { balance: 210_000n }), new InsufficientFundsError()],
      [
        'a balance committed to other transactions',
        check(transfer, {}, { balance: 210_001n, committed: 1n }),
        new InsufficientFundsError(),
      ],
      [
        'blobs that the balance does not cover',
        check(blob, { blobs: true }, { balance: 210_001n + 131_071n }),
        new InsufficientFundsError(),
      ],
      [
        'blobs that create a contract',
        check({ ...blob, to: null, gasLimit: 90_000n }, { blobs: true }),
        new BlobCreationError(),
      ],
      ['a blob transaction without blobs', check(blobs(), { blobs: true }), new MissingBlobHashesError()],
      ['more blobs than a block may have', check(blobs(10), { blobs: true }), new TooManyBlobsError(10, 9)],
      [
        'more blobs than a transaction may have on Osaka',
        check(blobs(7), { blobs: true, fork: osaka }),
        new TooManyBlobsError(7, 6),
      ],
      [
        'a versioned hash of another version',
        check({ ...blob, blobVersionedHashes: ['0x01', '0x1a'] }, { blobs: true }),
        new BlobHashVersionError(1),
      ],
      [
        'blobs that pay nothing',
        check({ ...blob, maxFeePerBlobGas: 0n }, { blobs: true }),
        new UnderpricedError(),
      ],
    ])('%s', (_, run, error) => {
      expect(thrown(run)).toEqual(error)
    })
  })

  test('report the first of several errors', () => {
    // Each step fixes what the one before was rejected for.
    const steps: [Partial<TxEnv>, Partial<AdmissionRules>, Partial<SenderState>][] = [
      [{}, {}, {}],
      [{}, { fork: prague }, {}],
      [{}, { blobs: true }, {}],
      [{ data: new Uint8Array(49_152).fill(1) }, {}, {}],
      [{ gasLimit: 20_000_000n }, { fork: osaka }, {}],
      [{ nonce: 3n }, {}, {}],
      [{ maxPriorityFeePerGas: 6n }, {}, {}],
      [{ gasLimit: 800_000n }, {}, {}],
      [{ gasLimit: 200_000n, data: new Uint8Array(10_000).fill(1), to }, {}, {}],
      [{ gasLimit: 500_000n }, {}, {}],
      [{ maxFeePerGas: 7n }, {}, {}],
      [{}, {}, { isContract: false }],
      [{}, {}, { nonce: 3n }],
      [{}, {}, { balance: 10n ** 18n }],
    ]
    let tx: TxEnv = {
      ...blob,
      to: null,
      data: new Uint8Array(49_153).fill(1),
      gasLimit: 40_000_000n,
      nonce: 2n ** 64n - 1n,
      maxFeePerGas: 6n,
      maxPriorityFeePerGas: 7n,
    }
    let block: AdmissionRules = { ...rules, ...CAPPED, fork: paris }
    let account: SenderState = { nonce: 4n, balance: 0n, isContract: true, committed: 0n }
    const reported: string[] = []
    for (const [txChange, ruleChange, senderChange] of steps) {
      tx = { ...tx, ...txChange }
      block = { ...block, ...ruleChange }
      account = { ...account, ...senderChange }
      reported.push(thrown(() => validateTransaction(tx, block, account))?.name ?? 'accepted')
    }
    expect(reported).toEqual([
      'TransactionTypeError',
      'BlobsRefusedError',
      'InitCodeTooLargeError',
      'BlockGasLimitError',
      'NonceMaxError',
      'TipAboveFeeCapError',
      'TransactionGasLimitError',
      'IntrinsicGasError',
      'FloorDataGasError',
      'UnderpricedError',
      'SenderNotEOAError',
      'NonceTooLowError',
      'InsufficientFundsError',
      'accepted',
    ])
  })
})

function creationOf(size: number): TxEnv {
  return { ...transfer, to: null, data: new Uint8Array(size), gasLimit: 1_000_000n }
}

function thrown(run: () => void): Error | undefined {
  try {
    run()
  } catch (error) {
    return error as Error
  }
  return undefined
}
