import { keccak256 } from 'viem'
import { describe, expect, test } from 'vitest'
import { toAddress } from '../../../../../src/base/bytes.ts'
import type { Address, Hash } from '../../../../../src/base/types.ts'
import { COINBASE, SENDER, slotKey, TARGET } from '../../setup.ts'
import { bytecode, call, gasOf, returning } from '../assembly.ts'
import { execute } from '../execution.ts'

const OTHER: Address = `0x${'dd'.repeat(20)}`
const EMPTY: Address = `0x${'e0'.repeat(20)}`
const ABSENT: Address = `0x${'ab'.repeat(20)}`
const MAX = 2n ** 256n - 1n

describe('BLOCKHASH', () => {
  test('knows the last 256 blocks, and asks for no other', async () => {
    const asked: bigint[] = []
    const blockHash = (number: bigint): Hash => {
      asked.push(number)
      return slotKey(number)
    }
    const numbers = [743n, 744n, 999n, 1000n, 1001n, 2n ** 53n, 2n ** 64n + 999n, MAX]
    const source = returning(...numbers.map((number) => `${number} BLOCKHASH`))
    const { words } = await execute(source, { env: { number: 1000n, blockHash } })
    expect([words, asked]).toEqual([
      [0n, 744n, 999n, 0n, 0n, 0n, 0n, 0n],
      [744n, 999n],
    ])
  })

  test('is 0 if the block is not known', async () => {
    const env = { number: 1000n, blockHash: () => undefined }
    expect((await execute(returning('999 BLOCKHASH'), { env })).words).toEqual([0n])
  })

  test('knows all blocks of a short chain', async () => {
    const { words } = await execute(returning('0 BLOCKHASH', '1 BLOCKHASH', '2 BLOCKHASH'), {
      env: { number: 2n },
    })
    expect(words).toEqual([1000n, 1001n, 0n])
  })
})

test('the block and the transaction are those of the environment, with values of any size', async () => {
  const env = {
    coinbase: COINBASE,
    timestamp: 2n ** 53n - 1n,
    number: 2n ** 53n,
    gasLimit: 2n ** 60n,
    baseFee: 0n,
    blobBaseFee: 2n ** 100n,
    prevRandao: `0x${'ff'.repeat(32)}`,
    difficulty: 5n,
  } as const
  const names = [
    'COINBASE',
    'TIMESTAMP',
    'NUMBER',
    'DIFFICULTY',
    'GASLIMIT',
    'BASEFEE',
    'BLOBBASEFEE',
    'CHAINID',
  ]
  const source = returning(...names, 'ORIGIN', 'CALLER', 'CALLVALUE', 'GASPRICE', 'CALLDATASIZE')
  const tx = { value: 3n, maxFeePerGas: 4n, maxPriorityFeePerGas: 4n, data: new Uint8Array(5) }
  const { words } = await execute(source, { env, tx })
  const values = [COINBASE, env.timestamp, env.number, env.prevRandao, env.gasLimit, 0, env.blobBaseFee, 1]
  expect(words).toEqual([...values, SENDER, SENDER, 3, 4, 5].map(BigInt))
})

test('DIFFICULTY is that of the block before the merge', async () => {
  const { words } = await execute(returning('DIFFICULTY'), { fork: 'london', env: { difficulty: 5n } })
  expect(words).toEqual([5n])
})

test('ORIGIN is the sender in every frame', async () => {
  const accounts = { [OTHER]: { code: returning('ORIGIN', 'CALLER') } }
  const source = `${call('CALL', OTHER, { output: [0, 64] })} POP 64 0 RETURN`
  expect((await execute(source, { accounts })).words).toEqual([SENDER, TARGET].map(BigInt))
})

test('BLOBHASH has the hashes of the transaction, and 0 beyond them', async () => {
  const hashes = [1, 2].map((n): Hash => `0x01${n.toString(16).padStart(62, '0')}`)
  const indices = [0, 1, 2, 2n ** 32n, 2n ** 53n, MAX]
  const { words } = await execute(returning(...indices.map((index) => `${index} BLOBHASH`)), {
    tx: { type: 3, blobVersionedHashes: hashes, maxFeePerBlobGas: 1n },
  })
  expect(words).toEqual([...hashes.map(BigInt), 0n, 0n, 0n, 0n])
})

describe('the instructions that read an account', () => {
  const accounts = {
    [TARGET]: { balance: 2n ** 53n },
    [OTHER]: { balance: 7n, code: '1 2 ADD' },
    [EMPTY]: {},
  }

  test('give its balance, its code size and its code hash (EIP-1052)', async () => {
    const reads = [TARGET, OTHER, EMPTY, ABSENT, SENDER].flatMap((address) =>
      ['BALANCE', 'EXTCODESIZE', 'EXTCODEHASH'].map((name) => `${address} ${name}`),
    )
    const source = returning(...reads, 'SELFBALANCE')
    const { words } = await execute(source, { accounts })
    const hashes = [keccak256(bytecode(source)), keccak256(bytecode('1 2 ADD')), keccak256('0x')].map(BigInt)
    expect(words).toEqual([
      ...[2n ** 53n, BigInt(bytecode(source).length / 2 - 1), hashes[0]],
      ...[7n, 5n, hashes[1]],
      ...[0n, 0n, 0n],
      ...[0n, 0n, 0n],
      ...[10n ** 18n, 0n, hashes[2]],
      2n ** 53n,
    ])
  })

  test.each(['BALANCE', 'EXTCODESIZE', 'EXTCODEHASH'])(
    '%s ignores the upper 96 bits, and warms the account',
    async (name) => {
      const marked = `0x${'ff'.repeat(12)}${OTHER.slice(2)}`
      const { words } = await execute(
        returning(
          gasOf(`${marked} ${name}`),
          gasOf(`${OTHER} ${name}`),
          `${marked} ${name}`,
          `${OTHER} ${name}`,
        ),
        { accounts },
      )
      expect(words.slice(0, 2)).toEqual([3n + 2_600n, 3n + 100n])
      expect(words[2]).toBe(words[3])
    },
  )

  test('find warm from the start the sender, the target, the coinbase and the precompiles (EIPs 2929, 3651)', async () => {
    const warm = [SENDER, TARGET, COINBASE, toAddress(1), toAddress(0x100)]
    const cold = [OTHER, toAddress(0), toAddress(0x12), toAddress(0x101)]
    const used = [...warm, ...cold].map((address) => gasOf(`${address} BALANCE`))
    const { words } = await execute(returning(...used), { accounts })
    expect(words).toEqual([...warm.map(() => 103n), ...cold.map(() => 2_603n)])
  })
})

test('CALLDATALOAD has zeros beyond the end', async () => {
  const source = returning(...[0, 1, 31, 32, 2n ** 53n, MAX].map((from) => `${from} CALLDATALOAD`))
  const { words } = await execute(source, { tx: { data: new Uint8Array(32).fill(0xff) } })
  expect(words).toEqual([MAX, MAX - 255n, 0xffn << 248n, 0n, 0n, 0n])
})
