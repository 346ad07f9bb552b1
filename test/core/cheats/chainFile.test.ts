import fc from 'fast-check'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/bytes.ts'
import { NEXT_HEADER_FIELDS } from '../../../src/ethereum/forks.ts'
import type { Hash, Hex, Retraction } from '../../../src/index.ts'
import { everythingOf } from '../../database/everything.ts'
import { runs } from '../../full.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { operations, orRevert, perform, STRANGER } from '../../operations.ts'
import { cheat, sorted } from '../../rpc/scene.ts'
import { forkOf } from '../fork/remoteChain.ts'
import { LOGGING, send } from '../sequencer/support.ts'
import { ANVIL_BLOCKS, ANVIL_CHAIN } from './anvilChain.ts'

const [NEXT] = NEXT_HEADER_FIELDS as [string]

const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const LOGGER = '0x00000000000000000000000000000000000c0de5'
const UNAVAILABLE = 'error -32000 state not available'

interface FileBlock {
  header: Record<string, unknown>
  transactions: Record<string, Record<string, unknown> | null>[]
}
interface FileEntry {
  info: Record<string, unknown>
  receipt: Record<string, unknown>
  block_hash: Hash
}
interface File {
  best_block_number: unknown
  accounts: Record<string, unknown>
  blocks: FileBlock[]
  transactions: FileEntry[]
  historical_states: unknown
}

async function parse(hex: Hex): Promise<File> {
  const zipped = new Blob([hexToBytes(hex) as Uint8Array<ArrayBuffer>])
  const plain = zipped.stream().pipeThrough(new DecompressionStream('gzip'))
  return (await new Response(plain).json()) as File
}

/** A chain with a block that has a transfer and a log, one without transactions, and a cheat on the last. */
async function filled(): Promise<TestChain> {
  const chain = await startChain()
  await send(chain, { nonce: 0 })
  await send(chain, { nonce: 1, ...LOGGING })
  await chain.seal()
  await chain.seal()
  await chain.setBalance(STRANGER, 5n)
  return chain
}

describe('a state file with blocks', () => {
  describe('of anvil', () => {
    it('is the chain afterwards: blocks, transactions, receipts, logs, and the states of earlier blocks', async () => {
      const chain = await startChain()
      expect(await cheat(chain, 'anvil_loadState', ANVIL_CHAIN)).toBe(true)
      expect(await cheat(chain, 'eth_blockNumber')).toBe('0x8')
      const blocks = await Promise.all(
        ANVIL_BLOCKS.map((_, number) => cheat(chain, 'eth_getBlockByNumber', `0x${number}`, false)),
      )
      const shown = blocks as { readonly hash: Hash; readonly transactions: readonly Hash[] }[]
      expect(shown.map(({ hash, transactions }) => [hash, transactions])).toEqual(ANVIL_BLOCKS)

      const impersonated = ANVIL_BLOCKS[6]![1][0]
      expect(await cheat(chain, 'eth_getTransactionByHash', impersonated)).toMatchObject({
        hash: impersonated,
        from: STRANGER,
        blockHash: ANVIL_BLOCKS[6]![0],
      })
      expect(await cheat(chain, 'eth_getTransactionReceipt', ANVIL_BLOCKS[5]![1][0])).toMatchObject({
        status: '0x0',
        gasUsed: '0x5211',
        blockNumber: '0x5',
      })
      expect(await cheat(chain, 'eth_getTransactionReceipt', ANVIL_BLOCKS[4]![1][0])).toMatchObject({
        contractAddress: '0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9',
      })
      expect(await cheat(chain, 'eth_getLogs', { fromBlock: '0x0' })).toMatchObject([
        { address: LOGGER, blockHash: ANVIL_BLOCKS[3]![0], transactionHash: ANVIL_BLOCKS[3]![1][0] },
      ])
      const balances = ANVIL_BLOCKS.map((_, number) => cheat(chain, 'eth_getBalance', BOB, `0x${number}`))
      const received = (await Promise.all(balances)).map((one) => BigInt(one as Hex) - 10_000n * 10n ** 18n)
      expect(received).toEqual([0n, 7n, 14n, 14n, 14n, 14n, 15n, 15n, 15n])
    })

    it('goes on: the next block follows its head, has a later time, and contracts read its hashes', async () => {
      const chain = await startChain()
      await cheat(chain, 'anvil_loadState', ANVIL_CHAIN)
      await send(chain, { nonce: 5 })
      const { block } = await chain.seal()
      expect(block).toMatchObject({ number: '0x9', parentHash: ANVIL_BLOCKS[8]![0] })
      const [number] = block.transactions.map(({ nonce }) => nonce)
      expect(number).toBe('0x5')
      const hashOf = { to: STRANGER, data: '0x' }
      // BLOCKHASH(8)
      const override = { [STRANGER]: { code: '0x60084060005260206000f3' } }
      expect(await cheat(chain, 'eth_call', hashOf, 'latest', override)).toBe(ANVIL_BLOCKS[8]![0])
    })

    it('without the states of earlier blocks has the state of its head alone', async () => {
      const { historical_states: _, ...file } = await parse(ANVIL_CHAIN)
      const chain = await startChain()
      expect(await cheat(chain, 'anvil_loadState', file)).toBe(true)
      expect(await cheat(chain, 'eth_getBalance', BOB, '0x7')).toBe(UNAVAILABLE)
      expect(await cheat(chain, 'eth_getBalance', BOB, '0x8')).toBe('0x21e19e0c9bab240000f')
      expect(await cheat(chain, 'debug_traceTransaction', ANVIL_BLOCKS[6]![1][0])).toBe(UNAVAILABLE)
      expect(await cheat(chain, 'anvil_rollback', 1)).toBe(UNAVAILABLE)
      expect(await cheat(chain, 'eth_blockNumber')).toBe('0x8')
      expect(await cheat(chain, 'eth_getLogs', { fromBlock: '0x0' })).toHaveLength(1)
    })

    it('can be rolled back to a block whose state it has', async () => {
      const chain = await startChain()
      await cheat(chain, 'anvil_loadState', ANVIL_CHAIN)
      expect(await cheat(chain, 'anvil_rollback', 3)).toBe(null)
      expect(await cheat(chain, 'eth_getBalance', BOB, 'latest')).toBe('0x21e19e0c9bab240000e')
      expect((await chain.seal()).block).toMatchObject({ number: '0x6', parentHash: ANVIL_BLOCKS[5]![0] })
    })

    it('is pruned with the history, whether its states are there or not', async () => {
      const file = await parse(ANVIL_CHAIN)
      for (const historical_states of [file.historical_states, null]) {
        const chain = await startChain({ history: { blocks: 3 } })
        await cheat(chain, 'anvil_loadState', { ...file, historical_states })
        for (let i = 0; i < 5; i++) await chain.seal()
        expect(await cheat(chain, 'eth_getBalance', BOB, '0x8')).toBe(UNAVAILABLE)
        expect(await cheat(chain, 'eth_getBlockByNumber', '0x3', false)).toMatchObject({
          hash: ANVIL_BLOCKS[3]![0],
        })
      }
    })
  })

  it('keeps an account of the genesis deleted in the chain that loads it', async () => {
    const chain = await startChain()
    await chain.setBalance(BOB, 0n)
    const other = await startChain()
    const file = await chain.standard.request({ method: 'anvil_dumpState' })
    expect((await parse(file)).accounts[BOB]).toEqual({ nonce: 0, balance: '0x0', code: '0x', storage: {} })
    expect(await cheat(other, 'anvil_loadState', file)).toBe(true)
    expect(await cheat(other, 'eth_getBalance', BOB, 'latest')).toBe('0x0')
  })

  it('leaves an account whose slots were all cleared out of the storage of earlier states', async () => {
    const chain = await startChain()
    const [kept, cleared] = [STRANGER, LOGGER] as const
    await chain.setBalance(cleared, 5n)
    for (const address of [kept, cleared]) await chain.setStorageAt(address, '0x0', '0x2')
    await chain.seal()
    await chain.setStorageAt(cleared, '0x0', '0x0')
    for (let i = 0; i < 2; i++) await chain.seal()
    const dump = await chain.standard.request({ method: 'anvil_dumpState', params: [true] })
    const { historical_states } = await parse(dump)
    const [, { storage }] = (historical_states as [Hash, { storage: Record<string, unknown> }][]).at(-1)!
    expect([storage[kept], storage[cleared]]).toEqual([{ '0x0': '0x2' }, undefined])
  })

  it('of this library gives a chain that answers the same, under random operations', async () => {
    const steps = operations((operation) => fc.array(orRevert(operation), { minLength: 1, maxLength: 15 }))
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const chain = await startChain({}, {}, { skipHeaderValidation: true })
        for (const step of steps) await perform(chain, step).catch(() => {})
        const other = await startChain({}, {}, { skipHeaderValidation: true })
        const file = await chain.standard.request({ method: 'anvil_dumpState', params: [true] })
        expect(await cheat(other, 'anvil_loadState', file)).toBe(true)
        expect(sorted(await everythingOf(other))).toEqual(sorted(await everythingOf(chain)))
        const again = await other.standard.request({ method: 'anvil_dumpState', params: [true] })
        expect(sorted(await parse(again))).toEqual(sorted(await parse(file)))
      }),
      runs(8, 200),
    )
  })

  it('replaces the chain: what it held is withdrawn, its snapshots are gone, impersonation and accounts stay', async () => {
    const chain = await filled()
    const { hash } = (await chain.seal()).block
    const id = await cheat(chain, 'evm_snapshot')
    await chain.impersonateAccount(STRANGER)
    const waiting = await send(chain, { nonce: 2 })
    const retracted: Retraction[] = []
    chain.on('retracted', (one) => retracted.push(one))
    const dropped: Hash[] = []
    chain.on('dropped', (one) => dropped.push(one.hash))
    const { accounts, ...file } = await parse(ANVIL_CHAIN)
    const { [BOB]: _, ...others } = accounts
    expect(await cheat(chain, 'anvil_loadState', { ...file, accounts: others })).toBe(true)
    expect(retracted).toMatchObject([{ reason: 'reset', blocks: [hash, {}, {}, {}] }])
    expect(dropped).toEqual([waiting])
    expect(await cheat(chain, 'evm_revert', id)).toBe(false)
    expect(await cheat(chain, 'eth_accounts')).toContain(STRANGER)
    // An account of the chain's own genesis that the file does not have.
    expect(await cheat(chain, 'eth_getBalance', BOB, 'latest')).toBe('0x21e19e0c9bab2400000')
    expect(await cheat(chain, 'eth_getBalance', BOB, '0x7')).toBe('0x21e19e0c9bab240000f')
  })

  it('leaves a reset, which begins on a genesis of the chain itself', async () => {
    const chain = await startChain()
    const genesis = await cheat(chain, 'eth_getBlockByNumber', '0x0', false)
    for (const params of [[], [{ forking: {} }]]) {
      await cheat(chain, 'anvil_loadState', ANVIL_CHAIN)
      expect(await cheat(chain, 'anvil_reset', ...params)).toBe(true)
      expect(await cheat(chain, 'eth_getBlockByNumber', 'latest', false)).toEqual(genesis)
    }
  })

  it('is refused by a chain that forks another or has a database, which change nothing', async () => {
    const remote = await filled()
    const fork = await forkOf(remote.standard)
    const stored = await startChain({ database: new MemoryLevel({ storeEncoding: 'view' }) as never })
    const answers = [
      await cheat(fork, 'anvil_loadState', ANVIL_CHAIN),
      await cheat(stored, 'anvil_loadState', ANVIL_CHAIN),
    ]
    expect(answers).toEqual(
      ['a fork', 'a chain with a database'].map(
        (kind) =>
          `error -32000 a state file with blocks cannot be loaded into ${kind}; remove its field blocks to load its accounts alone`,
      ),
    )
    const { blocks: _, ...file } = await parse(ANVIL_CHAIN)
    expect(await cheat(stored, 'anvil_loadState', file)).toBe(true)
    expect(await cheat(stored, 'eth_blockNumber')).toBe('0x0')
  })

  describe('that is wrong', () => {
    const files: readonly (readonly [problem: string, change: (file: File) => unknown])[] = [
      ['block 7, the best one, is absent', (file) => ({ ...file, best_block_number: 7 })],
      [
        'best_block_number is not an integer >= 0 of up to 64 bits',
        (file) => ({ ...file, best_block_number: {} }),
      ],
      ['blocks is not a list', (file) => ({ ...file, blocks: {} })],
      ['blocks[0].header is not an object', (file) => ({ ...file, blocks: [{}] })],
      [
        'blocks[1].header.number is not an integer >= 0 of up to 64 bits',
        (file) => changed(file, () => (file.blocks[1]!.header['number'] = null)),
      ],
      [
        'blocks[0].header.timestamp is not an integer >= 0 of up to 42 bits',
        (file) => changed(file, () => (file.blocks[0]!.header['timestamp'] = '0x40000000000')),
      ],
      [
        'blocks[0].header.excessBlobGas is not an integer >= 0 of up to 32 bits',
        (file) => changed(file, () => (file.blocks[0]!.header['excessBlobGas'] = '0x100000000')),
      ],
      [
        `blocks[1].header.${NEXT} is of a hardfork that is not supported`,
        (file) => changed(file, () => (file.blocks[1]!.header[NEXT] = '0x1')),
      ],
      ['of block 0x', (file) => changed(file, () => file.blocks.splice(1, 1))],
      [
        'blocks[1].header.parentHash is 0x',
        (file) => changed(file, () => (file.blocks[0]!.header['extraData'] = '0x01')),
      ],
      [
        'the receipt of blocks[1].transactions[1] is absent from transactions',
        (file) => changed(file, () => file.transactions.pop()),
      ],
      [
        'transactions[2] is not in block 0x',
        (file) =>
          changed(file, () => {
            const { info, ...rest } = file.transactions[1]!
            file.transactions.push({ ...rest, info: { ...info, transaction_index: 7 } })
          }),
      ],
      [
        'transactions[0] is of block 0x',
        (file) => changed(file, () => (file.transactions[0]!.block_hash = `0x${'7'.repeat(64)}`)),
      ],
      [
        'blocks[1].transactions[0].transaction.type is 126, expected one from 0 to 4',
        (file) => changed(file, () => (file.blocks[1]!.transactions[0]!['transaction']!['type'] = '0x7e')),
      ],
      [
        'blocks[1].transactions[0] has the hash 0x',
        (file) => changed(file, () => (file.blocks[1]!.transactions[0]!['transaction']!['value'] = '0x99')),
      ],
      [
        `transactions[0].info.from is ${STRANGER}, but 0x`,
        (file) => changed(file, () => (file.transactions[0]!.info['from'] = STRANGER)),
      ],
      [
        'blocks[1].header.receiptsRoot does not match the block',
        (file) => changed(file, () => (file.transactions[0]!.receipt['status'] = '0x0')),
      ],
      [
        'transactions[1].receipt.cumulativeGasUsed is below the cumulativeGasUsed of the previous transaction',
        (file) => changed(file, () => (file.transactions[1]!.receipt['cumulativeGasUsed'] = '0x1')),
      ],
      [
        'blocks[1].header.transactionsRoot does not match the block',
        (file) =>
          changed(file, () => {
            file.blocks[1]!.transactions.pop()
            file.transactions.pop()
          }),
      ],
      ['historical_states is not a list', (file) => ({ ...file, historical_states: 5 })],
      [
        "historical_states[0] is not a block's hash and its state",
        (file) => ({ ...file, historical_states: [['0x']] }),
      ],
      [
        'historical_states[0][1] is not an object',
        (file) => ({ ...file, historical_states: [[file.transactions[0]!.block_hash, 5]] }),
      ],
      ['more than 100000 accounts and slots', (file) => ({ ...file, accounts: manyAccounts() })],
    ]

    it('is refused with what is wrong, and nothing has changed', async () => {
      const source = await filled()
      const json = JSON.stringify(await parse(await source.standard.request({ method: 'anvil_dumpState' })))
      const chain = await filled()
      const before = await everythingOf(chain)
      for (const [problem, change] of files) {
        const answer = await cheat(chain, 'anvil_loadState', change(JSON.parse(json)))
        expect(answer).toContain(`error -32602 invalid state: `)
        expect(answer).toContain(problem)
      }
      expect(await everythingOf(chain)).toEqual(before)
    })

    it('is refused wherever it is cut off, compressed or not', async () => {
      const file = await (await filled()).standard.request({ method: 'anvil_dumpState' })
      const json = bytesToHex(new TextEncoder().encode(JSON.stringify(await parse(file))))
      const chain = await filled()
      const before = await everythingOf(chain)
      const cuts: unknown[] = []
      for (const whole of [file, json]) {
        for (let part = 1; part < 20; part++) {
          const bytes = Math.floor((part * (whole.length - 2)) / 40)
          cuts.push(await cheat(chain, 'anvil_loadState', whole.slice(0, 2 + 2 * bytes)))
        }
      }
      expect(new Set(cuts)).toEqual(
        new Set([
          'error -32602 invalid state: gzip data that is damaged, or ends early',
          'error -32602 invalid state: not JSON, or JSON that ends early',
        ]),
      )
      expect(await everythingOf(chain)).toEqual(before)
    })
  })

  it('is not dumped by a fork, nor if the history does not reach genesis: then it has the accounts alone', async () => {
    const short = await startChain({ history: { blocks: 2 } })
    for (let i = 0; i < 4; i++) await short.seal()
    const fork = await forkOf((await filled()).standard)
    await fork.seal()
    for (const chain of [short, fork]) {
      const { blocks, transactions } = await parse(
        await chain.standard.request({ method: 'anvil_dumpState', params: [true] }),
      )
      expect([blocks, transactions]).toEqual([[], []])
    }
  })
})

function changed(file: File, change: () => unknown): File {
  change()
  return file
}

function manyAccounts(): Record<string, object> {
  const entries = Array.from({ length: 100_001 }, (_, i) => [`0x${i.toString(16).padStart(40, '0')}`, {}])
  return Object.fromEntries(entries)
}
