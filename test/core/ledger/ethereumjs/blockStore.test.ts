import { createBlockFromRLP } from '@ethereumjs/block'
import { DBSetBlockOrHeader, DBSetHashToNumber } from '@ethereumjs/blockchain'
import { RLP } from '@ethereumjs/rlp'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../src/base/bytes.ts'
import { loadCrypto } from '../../../../src/base/crypto/crypto.ts'
import { BytesDatabase, type Level } from '../../../../src/core/ledger/bytesDatabase.ts'
import {
  DatabaseStoppedError,
  DatabaseWriteError,
  GenesisMismatchError,
} from '../../../../src/core/ledger/errors.ts'
import { BlockStore } from '../../../../src/core/ledger/ethereumjs/blockStore.ts'
import type { StoredChange } from '../../../../src/core/ledger/storedChange.ts'
import { buildGenesis, toGethGenesis } from '../../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../../src/core/options.ts'
import type { Block } from '../../../../src/ethereum/block.ts'
import { encodeBlock } from '../../../../src/ethereum/blockEncoding.ts'
import { commonOf } from '../../../../src/ethereum/evm/ethereumjs/common.ts'
import type { Hardfork } from '../../../../src/ethereum/forks.ts'
import { createHeader, hashHeader, headerItems } from '../../../../src/ethereum/header.ts'
import { type ChainRules, createChainRules } from '../../../../src/ethereum/rules.ts'
import { listRoot } from '../../../../src/ethereum/state/trie.ts'
import type { Transaction } from '../../../../src/ethereum/transaction.ts'
import { entriesIn, type TestLevel, withFailingWrites } from '../failingDatabase.ts'

const memory = (storeEncoding: 'view' | 'buffer' = 'view'): TestLevel => new MemoryLevel({ storeEncoding })
const crypto = await loadCrypto()

/** Two legacy transactions and a typed one, as bytes; a store does not decode them. */
const RAW = [
  RLP.encode([1, 2, 3, new Uint8Array(20), 5, new Uint8Array(200), 27, 1, 2]),
  Uint8Array.of(2, ...RLP.encode([1, 2, 3])),
  RLP.encode(['', '', '', '', '', '', 28, 1, 2]),
]

function scene(
  hardfork: Hardfork = 'prague',
  timestamp = 1_700_000_000n,
): { rules: ChainRules; genesis: Block } {
  const geth = toGethGenesis(resolveOptions({ hardfork }), [], timestamp)
  const rules = createChainRules(geth)
  return { rules, genesis: buildGenesis(geth, rules, crypto).block }
}

function blockAfter(parent: Block, raw: readonly Uint8Array[], extra = 0): Block {
  const { rules } = parent
  const number = parent.number + 1n
  const timestamp = parent.timestamp + 1n
  const header = createHeader(
    {
      number,
      timestamp,
      parentHash: parent.hash,
      gasLimit: 30_000_000n,
      baseFeePerGas: 7n,
      extraData: bytesToHex(Uint8Array.of(extra)),
      transactionsRoot: bytesToHex(listRoot(raw, crypto)),
    },
    rules,
  )
  const transactions = raw.map((bytes) => ({ raw: bytes, hash: crypto.keccak256Hex(bytes) }) as Transaction)
  return {
    header,
    hash: hashHeader(header),
    number,
    timestamp,
    rules,
    transactions,
    receipts: [],
    uncles: [],
    withdrawals: rules.fork.shanghai ? [] : undefined,
    size: 0,
  }
}

const adding = (block: Block): StoredChange => ({ head: block.hash, added: block })

async function storeOn(level: TestLevel | undefined): Promise<BlockStore> {
  await level?.open()
  return new BlockStore(level && new BytesDatabase(level as unknown as Level))
}

async function begun(level: TestLevel | undefined, hardfork?: Hardfork) {
  const { rules, genesis } = scene(hardfork)
  const store = await storeOn(level)
  return { store, genesis, rules, head: await store.begin(genesis, rules) }
}

describe('BlockStore', () => {
  it.each([
    ['view', 'prague'],
    ['buffer', 'prague'],
    ['view', 'paris'],
  ] as const)('returns blocks unchanged, by hash: %s, %s', async (encoding, hardfork) => {
    const { store, genesis } = await begun(memory(encoding), hardfork)
    const first = blockAfter(genesis, RAW)
    const second = blockAfter(first, [])
    for (const block of [first, second]) await store.write(adding(block))
    for (const block of [first, second]) {
      const stored = (await store.get(block.hash))!
      const raw = block.transactions.map((tx) => tx.raw)
      expect(stored.header).toEqual(block.header)
      expect(stored.transactions.map(bytesToHex)).toEqual(raw.map(bytesToHex))
      const body = raw.map((bytes) => (bytes[0]! < 0x80 ? bytes : RLP.decode(bytes)))
      const withdrawals = hardfork === 'paris' ? [] : [[]]
      expect(stored.size).toBe(
        RLP.encode([headerItems(block.header), body, [], ...withdrawals] as never).length,
      )
    }
  })

  it.each(['prague', 'paris'] as const)(
    "stores blocks as @ethereumjs' blockchain does: %s",
    async (hardfork) => {
      const level = memory()
      const { store, genesis } = await begun(level, hardfork)
      const block = blockAfter(genesis, [])
      await store.write(adding(block))
      const expected = [genesis, block].flatMap((own) => {
        const common = commonOf(own.rules, crypto)
        const stock = createBlockFromRLP(encodeBlock(own), { common })
        return [...DBSetBlockOrHeader(stock), DBSetHashToNumber(hexToBytes(own.hash), own.number)]
      })
      const entries = expected.map(({ baseDBOp: { key, value } }) => [
        bytesToHex(key as Uint8Array),
        bytesToHex(value as Uint8Array),
      ])
      const stored = (await level.iterator({ keyEncoding: 'view', valueEncoding: 'view' }).all()).map(
        (entry) => entry.map(bytesToHex),
      )
      const own = bytesToHex(new TextEncoder().encode('preseal:'))
      const isOwn = (key: string) => key.startsWith(own) || key < '0x10'
      expect(stored.filter(([key]) => !isOwn(key!))).toEqual(entries.sort())
    },
  )

  it('keeps several blocks of one number', async () => {
    const { store, genesis } = await begun(undefined)
    const blocks = [1, 2, 3].map((extra) => blockAfter(genesis, RAW, extra))
    for (const block of blocks) await store.write(adding(block))
    for (const block of blocks) {
      expect(hashHeader((await store.get(block.hash))!.header)).toBe(block.hash)
    }
    await store.close()
  })

  it.each([1, 100])(
    'without a database has each block from its write to its removal, of %i in all',
    async (count) => {
      const { store, genesis } = await begun(undefined)
      const blocks = Array.from({ length: count }, (_, extra) => blockAfter(genesis, RAW, extra % 256))
      for (const block of blocks) await store.write(adding(block))
      const [first, last] = [blocks[0]!, blocks.at(-1)!]
      await store.write({ head: genesis.hash, removed: [last] })
      expect(await store.get(last.hash)).toBeUndefined()
      await store.write(adding(last))
      expect((await store.get(last.hash))!.transactions).toEqual(RAW)
      expect((await store.get(first.hash))!.transactions).toEqual(RAW)
      await store.write({ head: genesis.hash, removed: blocks })
      expect(await store.get(first.hash)).toBeUndefined()
      await store.close()
    },
  )

  it('accepts the same block twice', async () => {
    const { store, genesis } = await begun(undefined)
    const block = blockAfter(genesis, RAW)
    await store.write(adding(block))
    await store.write(adding(block))
    expect((await store.get(block.hash))!.transactions.length).toBe(3)
  })

  it('has no block under an unknown hash', async () => {
    const { store } = await begun(undefined)
    expect(await store.get(`0x${'ab'.repeat(32)}`)).toBeUndefined()
  })

  it('reports a failing database rather than a missing block', async () => {
    const level = memory()
    const { store, genesis } = await begun(level)
    await level.close()
    await expect(store.get(blockAfter(genesis, []).hash)).rejects.toMatchObject({
      name: 'DatabaseReadError',
      cause: { code: 'LEVEL_DATABASE_NOT_OPEN' },
    })
  })

  it('begins at genesis, and continues from the head that was written last', async () => {
    const level = memory()
    const { store, genesis, head } = await begun(level)
    expect(head).toBe(genesis.hash)
    const block = blockAfter(genesis, [])
    await store.write(adding(block))
    expect((await begun(level)).head).toBe(block.hash)
  })

  it('has its genesis block, once there is one', async () => {
    const level = memory()
    expect(await (await storeOn(level)).storedGenesis()).toBeUndefined()
    const { store, genesis } = await begun(level)
    expect(await store.storedGenesis()).toEqual({
      chainId: 31_337n,
      genesis: genesis.hash,
      timestamp: 1_700_000_000n,
    })
  })

  it('has no genesis block after a start whose write failed', async () => {
    const level = memory()
    const { rules, genesis } = scene()
    const failing = await storeOn(withFailingWrites(level, () => true))
    await expect(failing.begin(genesis, rules)).rejects.toThrow('disk full')
    const next = await storeOn(level)
    expect(await next.storedGenesis()).toBeUndefined()
    expect(await next.begin(genesis, rules)).toBe(genesis.hash)
    expect(await next.storedGenesis()).toEqual({
      chainId: 31_337n,
      genesis: genesis.hash,
      timestamp: genesis.timestamp,
    })
  })

  it('writes a change whole or not at all', async () => {
    const level = memory()
    let isFull = false
    const { store, genesis } = await begun(withFailingWrites(level, () => isFull))
    const [first, second] = [blockAfter(genesis, RAW), blockAfter(genesis, [], 1)]
    await store.write(adding(first))
    const before = await entriesIn(level)
    const patches = { last: new Map(), before: undefined }
    const change = { head: second.hash, added: second, removed: [first], patched: { number: 1n, patches } }
    isFull = true
    await expect(store.write(change)).rejects.toThrow(new DatabaseWriteError(new Error('disk full')))
    expect(await entriesIn(level)).toEqual(before)
    isFull = false
    await expect(store.write(change)).rejects.toThrow(new DatabaseStoppedError(new Error('disk full')))
    await store.reopen()
    await store.write(change)
    expect(await store.get(first.hash)).toBeUndefined()
    expect(hashHeader((await store.get(second.hash))!.header)).toBe(second.hash)
    expect((await (await store.stored()).format.patch(1))?.patch).toEqual(new Map())
    expect((await begun(level)).head).toBe(second.hash)
  })

  it('rejects another genesis block', async () => {
    const level = memory()
    const { genesis } = await begun(level)
    const other = scene('prague', 1_700_000_001n)
    const store = await storeOn(level)
    await expect(store.begin(other.genesis, other.rules)).rejects.toThrow(
      new GenesisMismatchError(genesis.hash, other.genesis.hash),
    )
  })

  it('does not close the database of its caller', async () => {
    const level = memory()
    const { store } = await begun(level)
    await store.close()
    expect(level.status).toBe('open')
  })

  it('opens its own database if none is given', async () => {
    const { store, genesis, head } = await begun(undefined)
    expect([head, await store.storedGenesis()]).toEqual([genesis.hash, undefined])
    const block = blockAfter(genesis, RAW)
    await store.write(adding(block))
    const stored = await store.get(block.hash)
    expect([stored!.header, stored!.transactions]).toEqual([block.header, RAW])
    expect(await store.get(`0x${'12'.repeat(32)}`)).toBeUndefined()
    await store.close()
    await expect(store.get(block.hash)).rejects.toMatchObject({ cause: { code: 'LEVEL_DATABASE_NOT_OPEN' } })
  })
})
