import { MemoryLevel } from 'memory-level'
import { createWalletClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { quantity } from '../../../src/base/bytes.ts'
import { DatabaseCorruptError } from '../../../src/core/ledger/errors.ts'
import {
  type ChainOptions,
  createChain,
  createManualClock,
  ImportError,
  InvalidOptionError,
  type PresealChain,
} from '../../../src/index.ts'
import {
  externalChain,
  type ForeignBlock,
  GENESIS,
  HEAD,
  KEY,
  PAID,
  SENDER,
  toBytes,
  transactionsOf,
} from '../import/externalChain.ts'

let blocks: readonly ForeignBlock[]
describe('importBlocks', () => {
  beforeAll(async () => {
    blocks = await externalChain()
  }, 60_000)

  /** An account that is not in the imported blocks. */
  const OTHER = privateKeyToAccount(`0x${'22'.repeat(32)}`)
  const ether = 10n ** 18n
  const genesis = GENESIS

  async function start(options: ChainOptions = {}): Promise<PresealChain> {
    const clock = createManualClock(1_000_000)
    const chain = await createChain({ mining: 'manual', clock, genesis, blocks: upTo(18), ...options })
    onTestFinished(() => chain.close())
    return chain
  }

  const upTo = (number: number) => toBytes(blocks.slice(0, number))
  const rest = (from: number, to = HEAD) => toBytes(blocks.slice(from - 1, to))
  const hashOf = (number: number) => blocks[number - 1]!.hash
  const ask = (chain: PresealChain, method: string, ...params: unknown[]): Promise<never> =>
    chain.preconf.request({ method, params } as never) as Promise<never>

  const walletOf = (chain: PresealChain, account = privateKeyToAccount(KEY)) =>
    createWalletClient({ account, transport: custom(chain.preconf) })

  /** Records the events of a chain, in order. */
  function record(chain: PresealChain): string[] {
    const events: string[] = []
    chain.on('block', ({ block }) => events.push(`block ${Number(block.number)}`))
    chain.on('preconf', ({ index, block }) =>
      events.push(`preconf ${Number(block.number)}.${index}: ${block.transactions.length}`),
    )
    chain.on('dropped', ({ reason }) => events.push(`dropped ${reason}`))
    return events
  }

  describe('importBlocks', () => {
    it('makes every block the head in its turn, with the events of a sealed block', async () => {
      const chain = await start()
      const events = record(chain)
      const { block, receipts } = await chain.importBlocks(rest(19))
      expect(block).toMatchObject({ number: quantity(HEAD), hash: hashOf(HEAD) })
      expect(receipts).toHaveLength(block.transactions.length)
      expect(events).toEqual(
        [19, 20, 21].flatMap((number) => [`block ${number}`, `preconf ${number + 1}.0: 0`]),
      )
      expect(await ask(chain, 'eth_getBlockByNumber', 'pending', false)).toMatchObject({
        number: quantity(HEAD + 1),
        parentHash: hashOf(HEAD),
      })
    })

    it('keeps the blocks before an invalid one, and emits events of these only', async () => {
      const chain = await start()
      const events = record(chain)
      await expect(chain.importBlocks(rest(19).slice(0, -1))).rejects.toThrow(
        'block 21 cannot be imported: its RLP is truncated',
      )
      expect(events).toEqual(['block 19', 'preconf 20.0: 0', 'block 20', 'preconf 21.0: 0'])
      expect(await ask(chain, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({ hash: hashOf(20) })
      expect(await chain.importBlocks(rest(21))).toMatchObject({ block: { hash: hashOf(HEAD) } })
    })

    it('lets pre-confirmed transactions wait again, except those that a block includes or invalidates', async () => {
      const chain = await start()
      const wallet = walletOf(chain)
      const nonce = Number(await ask(chain, 'eth_getTransactionCount', SENDER, 'latest'))
      // The first of block 19, one with the nonce of its second, and one with a nonce after all of them.
      const [included, , third] = transactionsOf(blocks[18]!)
      await ask(chain, 'eth_sendRawTransaction', included)
      const rival = await wallet.sendTransaction({ to: PAID, nonce: nonce + 1, gas: 30_000n, chain: null })
      await ask(chain, 'eth_sendRawTransaction', third)
      const later = await wallet.sendTransaction({
        to: OTHER.address,
        value: ether,
        nonce: nonce + 3,
        chain: null,
      })
      expect((await chain.tick()).block.transactions).toHaveLength(4)

      const events = record(chain)
      await chain.importBlocks(rest(19, 19))
      expect(events).toEqual(['dropped nonce', 'block 19', 'preconf 20.0: 0'])
      expect(await ask(chain, 'chain_transactionStatus', rival)).toEqual({
        status: 'Unknown',
        stage: 'dropped',
      })
      expect(await ask(chain, 'chain_transactionStatus', later)).toEqual({
        status: 'Known',
        stage: 'pending',
      })
      expect(await ask(chain, 'txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
      const { block } = await chain.seal()
      expect(block.transactions.map(({ hash }) => hash)).toEqual([later])
    })

    it('removes from the mempool what a block includes, and what has lost its nonce', async () => {
      const chain = await start()
      const [first, , third] = transactionsOf(blocks[18]!)
      await ask(chain, 'eth_sendRawTransaction', first)
      await ask(chain, 'eth_sendRawTransaction', third)
      const events = record(chain)
      await chain.importBlocks(rest(19, 19))
      expect(events).toEqual(['block 19', 'preconf 20.0: 0'])
      expect(await ask(chain, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    })

    it('seals in auto mining what a block makes executable', async () => {
      const chain = await start({ mining: 'auto' })
      const nonce = Number(await ask(chain, 'eth_getTransactionCount', SENDER, 'latest'))
      const count = transactionsOf(blocks[18]!).length
      const hash = await walletOf(chain).sendTransaction({
        to: PAID,
        nonce: nonce + count,
        gas: 30_000n,
        chain: null,
      })
      const { block } = await chain.importBlocks(rest(19, 19))
      expect(block.number).toBe('0x13')
      expect(await ask(chain, 'eth_getTransactionReceipt', hash)).toMatchObject({ blockNumber: '0x14' })
    })

    it('waits for its turn among the writers', async () => {
      const chain = await start()
      const [sealed, imported] = await Promise.allSettled([chain.seal(), chain.importBlocks(rest(19))])
      expect(sealed.status).toBe('fulfilled')
      expect(imported).toMatchObject({
        status: 'rejected',
        reason: new ImportError(20n, 'its number is 19, expected 20'),
      })
    })

    it('returns the head if there is nothing to import', async () => {
      const chain = await start()
      const events = record(chain)
      expect(await chain.importBlocks(new Uint8Array(0))).toMatchObject({ block: { hash: hashOf(18) } })
      expect(await chain.importBlocks(rest(3, 18))).toMatchObject({ block: { hash: hashOf(18) } })
      expect(events).toEqual([])
    })

    it('keeps no reference to the bytes, not even of a Buffer', async () => {
      const first = SharingBytes.from(upTo(18))
      const chain = await start({ blocks: first })
      const second = SharingBytes.from(rest(19))
      await chain.importBlocks(second)
      const encoded = () =>
        Promise.all([16, 18, 19, HEAD].map((number) => ask(chain, 'debug_getRawBlock', quantity(number))))
      const before = await encoded()
      first.fill(0)
      second.fill(0)
      expect(await encoded()).toEqual(before)
    })

    it('rejects anything but bytes, and every call once the chain is closed', async () => {
      const chain = await start()
      await expect(chain.importBlocks('0x' as never)).rejects.toThrow(InvalidOptionError)
      await chain.close()
      await expect(chain.importBlocks(rest(19))).rejects.toMatchObject({ code: 4900 })
    })
  })

  describe('a database with imported blocks', () => {
    const memory = () => new MemoryLevel<never, never>({ storeEncoding: 'view' })

    /** Every block up to the head, with its receipts and a balance. */
    async function observe(chain: PresealChain): Promise<unknown[]> {
      const head = Number(await ask(chain, 'eth_blockNumber'))
      const observed: unknown[] = []
      for (let number = 0; number <= head; number++) {
        observed.push(
          await ask(chain, 'eth_getBlockByNumber', quantity(number), true),
          await ask(chain, 'eth_getBlockReceipts', quantity(number)),
          await ask(chain, 'eth_getBalance', PAID, quantity(number)),
        )
      }
      return observed
    }

    it('is resumed with them and the blocks sealed after them, and imports none twice', async () => {
      const database = memory()
      const first = await start({ database })
      await first.importBlocks(rest(19))
      await walletOf(first).sendTransaction({ to: PAID, value: 1n, chain: null })
      await first.seal()
      const observed = await observe(first)
      expect(observed).toHaveLength(3 * (HEAD + 2))
      await first.close()
      for (const again of [{ blocks: upTo(18) }, { blocks: upTo(HEAD) }]) {
        const chain = await start({ database, ...again })
        expect(await observe(chain)).toEqual(observed)
        await chain.close()
      }
    })

    it('is resumed after an import that failed before the merge', async () => {
      const database = memory()
      const config = { ...GENESIS.config, mergeNetsplitBlock: undefined, terminalTotalDifficulty: 1_600_000 }
      const options = { database, genesis: { ...GENESIS, config } }
      await expect(start({ ...options, blocks: upTo(8) })).rejects.toThrow(
        'the last one, block 8, is before it',
      )
      const chain = await start({ ...options, genesis, blocks: upTo(HEAD) })
      expect(await ask(chain, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({ hash: hashOf(HEAD) })
    })

    it('answers no request about a block in it that differs from the imported one', async () => {
      const database = memory()
      const chain = await start({ database })
      await chain.close()
      const values = await database.iterator({ keyEncoding: 'view', valueEncoding: 'view' } as never).all()
      const stored = values as unknown as [Uint8Array, Uint8Array][]
      // The extra data of block 7 is its number, and no other field depends on it.
      const [key, header] = stored.find(([, value]) => isHeaderOf(value, 7))!
      const at = header.lastIndexOf(7)
      const changed = Uint8Array.from(header)
      changed[at] = 8
      await database.put(
        key as never,
        changed as never,
        { keyEncoding: 'view', valueEncoding: 'view' } as never,
      )
      const again = await start({ database })
      await expect(ask(again, 'eth_getBlockByNumber', '0x7', false)).rejects.toThrow(
        new DatabaseCorruptError('block 7'),
      )
      expect(await ask(again, 'eth_getBlockByNumber', '0x8', false)).toMatchObject({ hash: hashOf(8) })
    })
  })
})

/** Timestamp and extra data are adjacent in a header. */
const isHeaderOf = (value: Uint8Array, number: number) =>
  value.length > 500 &&
  value[0] === 0xf9 &&
  value.some((byte, at) => byte === 10 * number && value[at + 1] === number)

/** Bytes whose slices are views, like those of Node's Buffer. */
class SharingBytes extends Uint8Array<ArrayBuffer> {
  override slice(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    return this.subarray(start, end)
  }
}
