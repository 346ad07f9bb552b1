import { sha256 } from '@noble/hashes/sha2.js'
import { encodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import { bigintToBytes32, bytesToHex, concatBytes, hexToBytes } from '../../../src/base/bytes.ts'
import type { Address, GethGenesis, Hash, Hex } from '../../../src/base/types.ts'
import { toGethGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import { DEPOSIT_CONTRACT } from '../../../src/ethereum/depositContract.ts'
import type { Hardfork } from '../../../src/ethereum/forks.ts'
import {
  BEACON_ROOTS,
  BLOCK_HASHES,
  CONSOLIDATION_REQUESTS,
  WITHDRAWAL_REQUESTS,
} from '../../../src/ethereum/systemContracts.ts'
import type { ChainOptions } from '../../../src/index.ts'
import { hex, push } from '../../ethereum/evm/programs.ts'
import { startChain, type TestChain, viemOn } from '../../harness.ts'

const SYSTEM_ADDRESS: Address = '0xfffffffffffffffffffffffffffffffffffffffe'
const DEPOSIT_TOPIC = '649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'
const NO_REQUESTS = bytesToHex(sha256(new Uint8Array(0)))

const fill = (size: number, byte: number) => new Uint8Array(size).fill(byte)

/** EIP-7685: the hash over the hashes of the kinds that have requests. */
function requestsHash(...kinds: readonly (readonly Uint8Array[])[]): Hash {
  const hashes = kinds.flatMap((requests, type) =>
    requests.length === 0 ? [] : [sha256(concatBytes(Uint8Array.of(type), ...requests))],
  )
  return bytesToHex(sha256(concatBytes(...hashes)))
}

/** Sends from dev account `by`, with its next nonce. */
function send(chain: TestChain, by: number, to: Address, data: Hex, value: bigint): Promise<Hash> {
  const provider = chain.provider('preconf', { pendingNonce: 'pool' })
  return viemOn(chain, provider).wallet(by).sendTransaction({ to, data, value, gas: 500_000n })
}

/** Calls the queue of EIP-7002. @returns the expected request: big-endian amounts of calls are little-endian there. */
async function withdraw(chain: TestChain, by: number, key: number, amount: bigint): Promise<Uint8Array> {
  const bytes = bigintToBytes32(amount).subarray(24)
  await send(chain, by, WITHDRAWAL_REQUESTS.address, bytesToHex(concatBytes(fill(48, key), bytes)), 100n)
  return concatBytes(hexToBytes(chain.accounts[by]!.address), fill(48, key), bytes.slice().reverse())
}

async function consolidate(chain: TestChain, by: number, from: number, to: number): Promise<Uint8Array> {
  const keys = concatBytes(fill(48, from), fill(48, to))
  await send(chain, by, CONSOLIDATION_REQUESTS.address, bytesToHex(keys), 100n)
  return concatBytes(hexToBytes(chain.accounts[by]!.address), keys)
}

const DEPOSIT_ABI = [
  {
    type: 'function',
    name: 'deposit',
    stateMutability: 'payable',
    inputs: [
      { name: 'pubkey', type: 'bytes' },
      { name: 'withdrawal_credentials', type: 'bytes' },
      { name: 'signature', type: 'bytes' },
      { name: 'deposit_data_root', type: 'bytes32' },
    ],
    outputs: [],
  },
] as const

/** Deposits 32 ether; `index` is the deposit's number. */
async function deposit(chain: TestChain, by: number, key: number, index: number): Promise<Uint8Array> {
  const [pubkey, credentials, signature] = [fill(48, key), fill(32, key + 1), fill(96, key + 2)]
  const amount = bigintToBytes32(32n * 10n ** 9n)
    .subarray(24)
    .slice()
    .reverse()
  const hash = (...parts: Uint8Array[]) => sha256(concatBytes(...parts))
  const signatureRoot = hash(hash(signature.subarray(0, 64)), hash(signature.subarray(64), fill(32, 0)))
  const root = hash(hash(hash(pubkey, fill(16, 0)), credentials), hash(amount, fill(24, 0), signatureRoot))
  const args = [pubkey, credentials, signature, root].map(bytesToHex) as [Hex, Hex, Hex, Hex]
  const data = encodeFunctionData({ abi: DEPOSIT_ABI, functionName: 'deposit', args })
  await send(chain, by, DEPOSIT_CONTRACT.address, data, 32n * 10n ** 18n)
  return concatBytes(pubkey, credentials, amount, signature, Uint8Array.of(index, 0, 0, 0, 0, 0, 0, 0))
}

describe('systemCalls', () => {
  describe('requests', () => {
    test.each<Hardfork>(['prague', 'osaka'])(
      'spread over ticks seal to one block, on %s',
      async (hardfork) => {
        const chain = await startChain({ hardfork })
        const seen: (Hash | undefined)[] = [(await chain.tick()).block.requestsHash]
        const withdrawal1 = await withdraw(chain, 0, 1, 5n)
        const deposit1 = await deposit(chain, 1, 10, 0)
        seen.push((await chain.tick()).block.requestsHash)
        const consolidation = await consolidate(chain, 2, 20, 30)
        seen.push((await chain.tick()).block.requestsHash)
        seen.push((await chain.tick()).block.requestsHash)
        const withdrawal2 = await withdraw(chain, 0, 2, 2n ** 63n)
        const deposit2 = await deposit(chain, 1, 11, 1)
        const { block, receipts } = await chain.seal()
        seen.push(block.requestsHash)

        expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x1', '0x1', '0x1', '0x1'])
        const second = requestsHash([deposit1], [withdrawal1], [consolidation])
        expect(seen).toEqual([
          NO_REQUESTS,
          requestsHash([deposit1], [withdrawal1]),
          second,
          second,
          requestsHash([deposit1, deposit2], [withdrawal1, withdrawal2], [consolidation]),
        ])

        await chain.clock.advance(1000)
        expect((await chain.seal()).block.requestsHash).toBe(NO_REQUESTS)
        const later = await withdraw(chain, 3, 3, 1n)
        await chain.clock.advance(1000)
        expect((await chain.seal()).block.requestsHash).toBe(requestsHash([], [later]))
      },
    )

    test('beyond what a block takes wait for the next one', async () => {
      const chain = await startChain()
      const requests: Uint8Array[] = []
      for (let i = 0; i < 18; i++) {
        requests.push(await withdraw(chain, i % 4, i, 1n))
        if (i % 5 === 4) await chain.tick()
      }
      expect((await chain.seal()).block.requestsHash).toBe(requestsHash([], requests.slice(0, 16)))
      await chain.clock.advance(1000)
      expect((await chain.seal()).block.requestsHash).toBe(requestsHash([], requests.slice(16)))
    })

    test("do not change the system's account", async () => {
      const chain = await startChain()
      const { standard } = viemOn(chain)
      await chain.seal()
      expect(await standard.getTransactionCount({ address: SYSTEM_ADDRESS })).toBe(0)
      await send(chain, 0, SYSTEM_ADDRESS, '0x', 7n)
      await withdraw(chain, 1, 1, 1n)
      await chain.clock.advance(1000)
      await chain.seal()
      expect(await standard.getBalance({ address: SYSTEM_ADDRESS })).toBe(7n)
      expect(await standard.getTransactionCount({ address: SYSTEM_ADDRESS })).toBe(0)
    })

    test('do not exist before Prague', async () => {
      const chain = await startChain({ hardfork: 'cancun' })
      await withdraw(chain, 0, 1, 1n)
      const { block } = await chain.seal()
      expect(block.requestsHash).toBeUndefined()
      expect(await viemOn(chain).standard.getBalance({ address: WITHDRAWAL_REQUESTS.address })).toBe(100n)
    })
  })

  const EMITTER: Address = `0x${'de'.repeat(20)}`

  /** A genesis with `alloc` over the default accounts, and without those that are undefined in it. */
  function genesisWith(
    hardfork: Hardfork,
    alloc: Readonly<Record<Address, GethGenesis['alloc'][string] | undefined>>,
    config: object = {},
  ): ChainOptions {
    const base = toGethGenesis(resolveOptions({ hardfork }), [], 1_700_000_000n)
    const merged = { ...base.alloc, ...alloc }
    const kept = Object.entries(merged).filter(
      (entry): entry is [string, GethGenesis['alloc'][string]] => entry[1] !== undefined,
    )
    return {
      genesis: { ...base, config: { ...base.config, ...config }, alloc: Object.fromEntries(kept) },
      accounts: { count: 3 },
    }
  }

  describe('deposit logs', () => {
    // Emits its calldata.
    const emitter = { balance: '0x0', code: hex(`36${push(0)}${push(0)}377f${DEPOSIT_TOPIC}36${push(0)}a1`) }
    const layout = [160, 256, 320, 384, 512]
    const sizes = [48, 32, 8, 96, 8]

    /** The 576 bytes of a deposit event, with some words changed. */
    function event(change: Readonly<Record<number, number>> = {}): Hex {
      const words = Array.from({ length: 18 }, () => 0)
      for (const [i, offset] of layout.entries()) {
        words[i] = offset
        words[offset / 32] = sizes[i]!
      }
      for (const [at, word] of Object.entries(change)) words[Number(at)] = word
      return `0x${words.map((word) => word.toString(16).padStart(64, '0')).join('')}`
    }

    const malformed: readonly (readonly [string, Hex])[] = [
      ['no data', '0x'],
      ['too little data', event().slice(0, -2) as Hex],
      ['too much data', `${event()}00`],
      ...layout.map((offset, i) => [`offset ${i} off by 32`, event({ [i]: offset + 32 })] as const),
      ...sizes.map((size, i) => [`length ${i} off by one`, event({ [layout[i]! / 32]: size + 1 })] as const),
    ]

    test('that are malformed make a transaction invalid, but not the block', async () => {
      const options = genesisWith('prague', { [EMITTER]: emitter }, { depositContractAddress: EMITTER })
      const chain = await startChain(options)
      const drops: unknown[] = []
      chain.on('dropped', (drop) => drops.push(drop))
      const expected: unknown[] = []
      for (const [, data] of malformed) {
        const hash = await send(chain, 0, EMITTER, data, 0n)
        expected.push({ hash, reason: 'invalid', message: 'invalid deposit log' })
        const { block } = await chain.tick()
        expect(block.transactions).toEqual([])
      }
      const hash = await send(chain, 0, EMITTER, event(), 0n)
      const { block } = await chain.seal()
      expect(drops).toEqual(expected)
      expect(block.transactions.map((tx) => tx.hash)).toEqual([hash])
      expect(block.requestsHash).toBe(requestsHash([fill(192, 0)]))
    })

    test('of other contracts, and before Prague, are logs like any other', async () => {
      for (const options of [
        genesisWith('prague', { [EMITTER]: emitter }),
        genesisWith('cancun', { [EMITTER]: emitter }, { depositContractAddress: EMITTER }),
      ]) {
        const chain = await startChain(options)
        await send(chain, 0, EMITTER, '0x', 0n)
        const { receipts } = await chain.seal()
        expect(receipts.map(({ status, logs }) => [status, logs.length])).toEqual([['0x1', 1]])
      }
    })
  })

  describe('a genesis', () => {
    const contracts = [BEACON_ROOTS, BLOCK_HASHES, WITHDRAWAL_REQUESTS, CONSOLIDATION_REQUESTS]
    const all = (account: GethGenesis['alloc'][string] | undefined) =>
      Object.fromEntries(contracts.map(({ address }) => [address, account]))

    test.each<[string, GethGenesis['alloc'][string] | undefined, Hash]>([
      ['without the system contracts', undefined, NO_REQUESTS],
      ['with accounts without code in their place', { balance: '0x1' }, NO_REQUESTS],
      ['with contracts that fail in their place', { balance: '0x0', code: '0xfe' }, NO_REQUESTS],
      [
        'with contracts that revert with output in their place',
        { balance: '0x0', code: '0x60206000fd' },
        requestsHash([], [fill(32, 0)], [fill(32, 0)]),
      ],
      [
        'with contracts that answer the same every time',
        { balance: '0x0', code: '0x60206000f3' },
        requestsHash([], [fill(32, 0)], [fill(32, 0)]),
      ],
    ])('%s still gives blocks', async (_, account, hash) => {
      const chain = await startChain(genesisWith('prague', all(account)))
      for (let i = 0; i < 2; i++) {
        await send(chain, 0, EMITTER, '0x', 1n)
        await chain.tick()
        const { block } = await chain.seal()
        expect(block.requestsHash).toBe(hash)
        await chain.clock.advance(1000)
      }
    })
  })

  test('write beacon root and parent hash to the storage of their contracts at the start of a block', async () => {
    const chain = await startChain()
    const { standard } = viemOn(chain)
    const genesis = await standard.getBlock()
    await chain.seal()
    const { block } = await chain.seal()
    const ask = (to: Address, n: bigint) =>
      standard.call({ account: EMITTER, to, data: bytesToHex(bigintToBytes32(n)) })
    expect(await ask(BLOCK_HASHES.address, 0n)).toEqual({ data: genesis.hash })
    expect(await ask(BLOCK_HASHES.address, 1n)).toEqual({ data: block.parentHash })
    expect(await ask(BEACON_ROOTS.address, BigInt(block.timestamp))).toEqual({ data: `0x${'00'.repeat(32)}` })
  })
})
