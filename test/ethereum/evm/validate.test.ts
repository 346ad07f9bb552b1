import { describe, expect, test } from 'vitest'
import type { Address } from '../../../src/base/types.ts'
import {
  BlockGasLimitError,
  EmptyAuthorizationListError,
  FeeCapTooLowError,
  FloorDataGasError,
  InitCodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  NonceMaxError,
  NonceTooHighError,
  NonceTooLowError,
  SenderNotEOAError,
  SetCodeCreationError,
  TipAboveFeeCapError,
  TransactionGasLimitError,
} from '../../../src/ethereum/errors.ts'
import { ALL_CHECKS, type BlockEnv, type Checks } from '../../../src/ethereum/evm/executor.ts'
import { isDelegation } from '../../../src/ethereum/evm/validate.ts'
import type { Hardfork } from '../../../src/ethereum/forks.ts'
import type { TxEnv } from '../../../src/ethereum/transaction.ts'
import { createBench, dump, ETHER, SENDER, type StartingAccount, TARGET } from './setup.ts'

interface Case {
  readonly fork?: Hardfork
  readonly sender?: StartingAccount
  readonly tx?: Partial<TxEnv>
  readonly env?: Partial<BlockEnv>
  readonly checks?: Partial<Checks>
}

async function attempt({ fork = 'prague', sender = {}, tx = {}, env = {}, checks = {} }: Case) {
  const accounts = { [SENDER]: { nonce: 3n, balance: ETHER, ...sender } } as Record<Address, StartingAccount>
  const bench = await createBench(fork, accounts, env)
  const before = dump(bench.state)
  const outcome = await bench.run({ nonce: 3n, ...tx }, { ...ALL_CHECKS, ...checks })
  if (outcome.kind === 'rejected') expect(dump(bench.state)).toEqual(before)
  return outcome
}

const ones = (n: number) => new Uint8Array(n).fill(1)
const authorization = { chainId: 0n, address: TARGET, nonce: 0n, yParity: 0, r: 1n, s: 1n } as const
const delegated = `0xef0100${'bb'.repeat(20)}` as const

describe('validation of transactions', () => {
  describe('is rejected', () => {
    test.each<[string, Case, Error, boolean]>([
      ['a nonce that was used', { tx: { nonce: 2n } }, new NonceTooLowError(), false],
      ['a nonce ahead of the account', { tx: { nonce: 4n } }, new NonceTooHighError(), true],
      [
        'the last nonce',
        { sender: { nonce: 2n ** 64n - 1n }, tx: { nonce: 2n ** 64n - 1n } },
        new NonceMaxError(),
        false,
      ],
      ['more gas than the block has', { tx: { gasLimit: 30_000_001n } }, new BlockGasLimitError(), false],
      [
        'more than 2^24 gas on Osaka',
        { fork: 'osaka', tx: { gasLimit: 16_777_217n } },
        new TransactionGasLimitError(16_777_216n, 16_777_217n),
        false,
      ],
      ['a sender with code', { sender: { code: '0x00' } }, new SenderNotEOAError(), false],
      [
        'a sender with the code of a delegation before Prague',
        { fork: 'cancun', sender: { code: delegated } },
        new SenderNotEOAError(),
        false,
      ],
      [
        'a tip above the fee cap',
        { tx: { maxPriorityFeePerGas: 1n } },
        new TipAboveFeeCapError(1n, 0n),
        false,
      ],
      [
        'a fee cap below the base fee',
        { env: { baseFee: 8n }, tx: { maxFeePerGas: 7n } },
        new FeeCapTooLowError(7n, 8n),
        true,
      ],
      [
        'a gas price below the base fee',
        { env: { baseFee: 8n }, tx: { type: 0, gasPrice: 7n } },
        new FeeCapTooLowError(7n, 8n),
        true,
      ],
      [
        'set code that creates',
        { tx: { type: 4, to: null, authorizationList: [authorization] } },
        new SetCodeCreationError(),
        false,
      ],
      [
        'set code without entries',
        { tx: { type: 4, authorizationList: [] } },
        new EmptyAuthorizationListError(),
        false,
      ],
      [
        'a balance one wei short of gas and value',
        { sender: { balance: 21_000n * 7n + 1n }, tx: { gasLimit: 21_000n, maxFeePerGas: 7n, value: 2n } },
        new InsufficientFundsError(),
        false,
      ],
      [
        'a sender that does not exist',
        { tx: { from: TARGET, nonce: 0n, value: 1n } },
        new InsufficientFundsError(),
        false,
      ],
      [
        'less than the intrinsic gas',
        { tx: { gasLimit: 20_999n } },
        new IntrinsicGasError(20_999n, 21_000n),
        false,
      ],
      [
        'less than the floor of the data',
        { tx: { data: ones(100), gasLimit: 24_999n } },
        new FloorDataGasError(24_999n, 25_000n),
        false,
      ],
      [
        'init code over the limit',
        { fork: 'shanghai', tx: { to: null, data: ones(49_153) } },
        new InitCodeTooLargeError(49_153, 49_152n),
        false,
      ],
    ])('%s', async (_, options, error, retryable) => {
      expect(await attempt(options)).toEqual({ kind: 'rejected', error, retryable })
    })
  })

  describe('is included', () => {
    test.each<[string, Case]>([
      [
        'a balance that is just enough',
        { sender: { balance: 21_000n * 7n + 2n }, tx: { gasLimit: 21_000n, maxFeePerGas: 7n, value: 2n } },
      ],
      ['2^24 gas on Osaka', { fork: 'osaka', tx: { gasLimit: 16_777_216n } }],
      ['more than 2^24 gas before Osaka', { tx: { gasLimit: 30_000_000n } }],
      ['a sender that delegates', { sender: { code: delegated } }],
      ['the floor of the data', { tx: { data: ones(100), gasLimit: 25_000n } }],
      ['less than the floor before Prague', { fork: 'cancun', tx: { data: ones(100), gasLimit: 22_600n } }],
      [
        'long init code before Shanghai',
        { fork: 'paris', tx: { to: null, data: ones(49_153), gasLimit: 2_000_000n } },
      ],
      [
        'the longest init code',
        { fork: 'shanghai', tx: { to: null, data: ones(49_152), gasLimit: 2_000_000n } },
      ],
      ['any nonce, if nonces are not checked', { tx: { nonce: 9n }, checks: { nonce: false } }],
      [
        'a sender with code, if it is not checked',
        { sender: { code: '0x00' }, checks: { senderCode: false } },
      ],
      [
        'more gas than block and cap allow, if they are not checked',
        { fork: 'osaka', tx: { gasLimit: 50_000_000n }, checks: { gasLimit: false } },
      ],
      [
        'no fee below the base fee, if it is not checked',
        { env: { baseFee: 8n }, checks: { feeCap: false } },
      ],
    ])('%s', async (_, options) => {
      expect((await attempt(options)).kind).toBe('included')
    })
  })

  test('reports the first of several errors', async () => {
    // Each step fixes what the one before was rejected for.
    const steps: [Partial<TxEnv>, StartingAccount][] = [
      [{}, {}],
      [{ nonce: 3n }, {}],
      [{ gasLimit: 20_000_000n }, {}],
      [{ gasLimit: 10_000n }, {}],
      [{}, { code: '0x' }],
      [{ maxPriorityFeePerGas: 1n }, {}],
      [{ maxFeePerGas: 8n }, {}],
      [{ to: TARGET }, {}],
      [{ authorizationList: [authorization] }, {}],
      [{}, { balance: ETHER }],
      [{ gasLimit: 900_000n }, {}],
      [{ type: 2, to: null, gasLimit: 2_000_000n }, {}],
      [{ data: ones(1) }, {}],
    ]
    let tx: Partial<TxEnv> = {
      type: 4,
      to: null,
      nonce: 4n,
      gasLimit: 40_000_000n,
      data: ones(49_153),
      maxFeePerGas: 7n,
      maxPriorityFeePerGas: 9n,
      authorizationList: [],
    }
    let sender: StartingAccount = { nonce: 3n, balance: 0n, code: '0x00' }
    const told: string[] = []
    for (const [txChange, senderChange] of steps) {
      tx = { ...tx, ...txChange }
      sender = { ...sender, ...senderChange }
      const outcome = await attempt({ fork: 'osaka', sender, tx, env: { baseFee: 8n } })
      told.push(outcome.kind === 'rejected' ? outcome.error.name : 'included')
    }
    expect(told).toEqual([
      'NonceTooHighError',
      'BlockGasLimitError',
      'TransactionGasLimitError',
      'SenderNotEOAError',
      'TipAboveFeeCapError',
      'FeeCapTooLowError',
      'SetCodeCreationError',
      'EmptyAuthorizationListError',
      'InsufficientFundsError',
      'IntrinsicGasError',
      'FloorDataGasError',
      'InitCodeTooLargeError',
      'included',
    ])
  })

  test('a delegation is 23 bytes from ef0100 on', () => {
    const code = Uint8Array.of(0xef, 0x01, 0x00, ...ones(20))
    expect([code, code.subarray(0, 22), Uint8Array.of(...code, 0), ones(23)].map(isDelegation)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })
})
