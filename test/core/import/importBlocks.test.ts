import { RLP } from '@ethereumjs/rlp'
import { keccak_256 as keccak256 } from '@noble/hashes/sha3.js'
import { createWalletClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bigintToBytes, bytesToHex, concatBytes, hexToBytes, quantity } from '../../../src/base/bytes.ts'
import type { Hex } from '../../../src/base/types.ts'
import { HEADER_FIELDS } from '../../../src/ethereum/header.ts'
import {
  type ChainOptions,
  createChain,
  createManualClock,
  type GethGenesis,
  ImportError,
  InvalidOptionError,
  type PresealChain,
} from '../../../src/index.ts'
import { EXECUTION_APIS } from '../../conformance/served.ts'
import { VectorFolder } from '../../conformance/vectors.ts'
import {
  externalChain,
  type ForeignBlock,
  GENESIS,
  HEAD,
  KEY,
  NOTEBOOK_ADDRESS,
  PAID,
  SENDER,
  toBytes,
  WATCHED,
} from './externalChain.ts'

let blocks: readonly ForeignBlock[]
describe('importBlocks', () => {
  beforeAll(async () => {
    blocks = await externalChain()
  }, 60_000)

  async function start(options: ChainOptions = {}): Promise<PresealChain> {
    const chain = await createChain({
      mining: 'manual',
      clock: createManualClock(1_000_000),
      genesis: GENESIS,
      ...options,
    })
    onTestFinished(() => chain.close())
    return chain
  }

  const ask = (chain: PresealChain, method: string, ...params: unknown[]): Promise<never> =>
    chain.preconf.request({ method, params } as never) as Promise<never>

  /** The blocks up to a number. */
  const upTo = (number: number) => toBytes(blocks.slice(0, number))
  const rlpOf = (number: number) => blocks[number - 1]!.rlp

  type Fields = [
    header: Uint8Array[],
    transactions: unknown[],
    uncles: Uint8Array[][],
    withdrawals: Uint8Array[][],
  ]

  const headerOf = (at: number) => (RLP.decode(rlpOf(at)) as unknown as Fields)[0]

  /** The RLP of a block with some fields changed. */
  function altered(number: number, change: (...fields: Fields) => void): Uint8Array {
    const fields = RLP.decode(rlpOf(number)) as unknown as Fields
    change(...fields)
    return RLP.encode(fields as never)
  }

  /** The state of a chain that a failed import must not change. */
  async function observe(chain: PresealChain): Promise<unknown> {
    return {
      latest: await ask(chain, 'eth_getBlockByNumber', 'latest', true),
      pending: await ask(chain, 'eth_getBlockByNumber', 'pending', true),
      state: await stateAt(chain, 'latest'),
      logs: await ask(chain, 'eth_getLogs', { fromBlock: 'earliest', toBlock: 'latest' }),
    }
  }

  async function stateAt(chain: PresealChain, block: string) {
    const word = (slot: number) => ask(chain, 'eth_getStorageAt', NOTEBOOK_ADDRESS, quantity(slot), block)
    return {
      balances: (
        await Promise.all(WATCHED.map((address) => ask(chain, 'eth_getBalance', address, block)))
      ).map(BigInt),
      nonce: BigInt(await ask(chain, 'eth_getTransactionCount', SENDER, block)),
      slots: (await Promise.all([0, 1, 2].map(word))).map(BigInt),
    }
  }

  describe('a chain with blocks', () => {
    it('has the same state as stock @ethereumjs at every block', async () => {
      const chain = await start({ blocks: upTo(HEAD) })
      for (const [i, { hash, state }] of blocks.entries()) {
        const number = quantity(i + 1)
        expect(await ask(chain, 'eth_getBlockByNumber', number, false)).toMatchObject({ number, hash })
        expect([number, await stateAt(chain, number)]).toEqual([number, state])
      }
      for (const tag of ['latest', 'safe', 'finalized']) {
        expect(await ask(chain, 'eth_getBlockByNumber', tag, false)).toMatchObject({
          hash: blocks.at(-1)!.hash,
        })
      }
    })

    it('shows receipts, logs, uncles and withdrawals by the rules of each fork', async () => {
      const chain = await start({ blocks: upTo(HEAD) })
      const receipts = async (number: number) =>
        (await ask(chain, 'eth_getBlockReceipts', quantity(number))) as Record<string, unknown>[]
      const [created] = await receipts(1)
      expect(created).toMatchObject({
        contractAddress: NOTEBOOK_ADDRESS,
        root: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      })
      expect(created).not.toHaveProperty('status')
      expect((await receipts(4)).map(({ status }) => status)).toEqual(['0x1', '0x1', '0x0'])
      expect((await receipts(16)).map(({ type }) => type)).toEqual(['0x2', '0x2', '0x2', '0x3'])
      const logs = (await ask(chain, 'eth_getLogs', {
        fromBlock: '0x1',
        address: NOTEBOOK_ADDRESS,
      })) as unknown[]
      // One per block from 2 on, and the further calls of 8, 11 and 16.
      expect(logs).toHaveLength(HEAD - 1 + 3)
      const block = (number: number) => ask(chain, 'eth_getBlockByNumber', quantity(number), false)
      expect(await block(7)).toMatchObject({ uncles: [expect.any(String), expect.any(String)] })
      expect(await block(12)).toMatchObject({ uncles: [], difficulty: '0x0' })
      expect(await block(13)).toMatchObject({ withdrawals: [{ index: '0xd' }, { index: '0x71' }] })
    })

    it('executes calls at blocks of every fork', async () => {
      const chain = await start({ blocks: upTo(HEAD) })
      // Returns NUMBER, and the difficulty or the randomness.
      const code = '0x436000524460205260406000f3'
      for (const number of [1, 3, 5, 9, 11, 12, 13, 16, 18, HEAD]) {
        const block = (await ask(chain, 'eth_getBlockByNumber', quantity(number), false)) as Record<
          string,
          Hex
        >
        const output = await ask(chain, 'eth_call', { data: code }, quantity(number))
        const seen = number < 12 ? block['difficulty']! : block['mixHash']!
        expect(output).toBe(bytesToHex(concatBytes(word(BigInt(number)), word(BigInt(seen)))))
      }
    })

    it('continues after the last of them', async () => {
      const chain = await start({ blocks: upTo(HEAD) })
      const wallet = createWalletClient({
        account: privateKeyToAccount(KEY),
        transport: custom(chain.preconf),
      })
      const hash = await wallet.sendTransaction({ to: PAID, value: 5n, chain: null })
      const { block } = await chain.seal()
      expect(block).toMatchObject({ number: quantity(HEAD + 1), parentHash: blocks.at(-1)!.hash })
      expect(block.transactions.map((tx) => tx.hash)).toEqual([hash])
    })

    it('keeps those within the history', async () => {
      const chain = await start({ blocks: upTo(HEAD), history: { blocks: 2, proofs: 0 } })
      expect(await stateAt(chain, quantity(HEAD - 1))).toEqual(blocks.at(-2)!.state)
      await expect(stateAt(chain, quantity(HEAD - 2))).rejects.toMatchObject({
        message: 'state not available',
      })
      expect(await ask(chain, 'eth_getBlockByNumber', '0x4', false)).toMatchObject({ hash: blocks[3]!.hash })
    })

    it('skips a genesis block, and repeated blocks', async () => {
      const without = await start()
        .then(() => undefined)
        .catch((error: Error) => error)
      expect(without).toBeInstanceOf(InvalidOptionError)
      const chain = await start({ blocks: concatBytes(upTo(14), upTo(16)) })
      expect(await ask(chain, 'eth_blockNumber')).toBe('0x10')
      await chain.importBlocks(concatBytes(rlpOf(3), rlpOf(16), rlpOf(17)))
      expect(await ask(chain, 'eth_blockNumber')).toBe('0x11')
    })

    it.each<[string, Partial<GethGenesis['config']>, number]>([
      ['the block number of the genesis', { mergeForkBlock: 12, mergeNetsplitBlock: 500 }, 11],
      ['the total difficulty', { mergeNetsplitBlock: undefined }, 11],
      [
        'the first block without difficulty',
        { mergeNetsplitBlock: undefined, terminalTotalDifficulty: undefined },
        12,
      ],
    ])('finds the merge by %s', async (_name, changes, last) => {
      // From 11 on the total difficulty is reached.
      const terminalTotalDifficulty = await totalDifficultyAt(11)
      const config = {
        ...GENESIS.config,
        terminalTotalDifficulty: Number(terminalTotalDifficulty),
        ...changes,
      }
      const genesis = { ...GENESIS, config }
      await expect(start({ genesis, blocks: upTo(last - 1) })).rejects.toThrow(
        `invalid option blocks: expected all blocks up to the merge; the last one, block ${last - 1}, is before it`,
      )
      const chain = await start({ genesis, blocks: upTo(last) })
      expect(await chain.importBlocks(toBytes(blocks.slice(last)))).toMatchObject({
        block: { hash: blocks.at(-1)!.hash },
      })
    })

    it.skipIf(EXECUTION_APIS === undefined)('reaches the head of the chain of execution-apis', async () => {
      const { chain: options, head } = await VectorFolder.open(EXECUTION_APIS!)
      const chain = await start(options)
      expect(await ask(chain, 'eth_getBlockByNumber', 'latest', false)).toMatchObject({ hash: head })
      expect(await ask(chain, 'eth_getBlockByNumber', 'finalized', false)).toMatchObject({ hash: head })
    })

    it('rejects a block on the wrong side of the merge by the total difficulty', async () => {
      const total = await totalDifficultyAt(11)
      const config = { ...GENESIS.config, mergeNetsplitBlock: undefined }
      const at = (terminalTotalDifficulty: bigint) => ({
        genesis: {
          ...GENESIS,
          config: { ...config, terminalTotalDifficulty: Number(terminalTotalDifficulty) },
        },
        blocks: upTo(HEAD),
      })
      await expect(start(at(total + 1n))).rejects.toThrow(
        'block 12 cannot be imported: its difficulty is 0, expected more before the merge',
      )
      await expect(start(at(total - 1_000_000n))).rejects.toThrow(
        /^block \d+ cannot be imported: its difficulty is \d+, expected 0 after the merge$/,
      )
    })
  })

  async function totalDifficultyAt(number: number): Promise<bigint> {
    let total = BigInt(GENESIS.difficulty!)
    for (const { rlp } of blocks.slice(0, number)) {
      const [header] = RLP.decode(rlp) as unknown as Fields
      total += BigInt(bytesToHex(header[7]!))
    }
    return total
  }

  const word = (n: bigint) => hexToBytes(`0x${n.toString(16).padStart(64, '0')}`)
  const number = (n: bigint | number) => bigintToBytes(BigInt(n))

  /** The index of each field in a header. */
  const AT = {
    parentHash: 0,
    sha3Uncles: 1,
    miner: 2,
    stateRoot: 3,
    transactionsRoot: 4,
    receiptsRoot: 5,
    logsBloom: 6,
    difficulty: 7,
    number: 8,
    gasLimit: 9,
    gasUsed: 10,
    timestamp: 11,
    extraData: 12,
    mixHash: 13,
    nonce: 14,
    baseFeePerGas: 15,
    withdrawalsRoot: 16,
    blobGasUsed: 17,
    excessBlobGas: 18,
    parentBeaconBlockRoot: 19,
    requestsHash: 20,
  } as const
  type Field = keyof typeof AT

  /** Changes a field of a header. */
  const set =
    (field: Field, value: Uint8Array) =>
    (header: Uint8Array[]): void => {
      header[AT[field]] = value
    }

  const other = new Uint8Array(32).fill(0xee)

  describe('an invalid block', () => {
    const LAST = 18
    const shared = new Map<number, { readonly chain: PresealChain; readonly snapshot: Hex }>()
    afterAll(() => Promise.all([...shared.values()].map(({ chain }) => chain.close())))

    /** The shared chain of the first blocks, reverted between the tests. */
    async function startAt(number: number): Promise<PresealChain> {
      let at = shared.get(number)
      if (at === undefined) {
        const options = { mining: 'manual', clock: createManualClock(1_000_000), genesis: GENESIS } as const
        const chain = await createChain({ ...options, blocks: upTo(number) })
        at = { chain, snapshot: await chain.snapshot() }
        shared.set(number, at)
      }
      await at.chain.revert(at.snapshot)
      return at.chain
    }

    it.each<[field: Field, value: Uint8Array, problem: RegExp]>([
      ['parentHash', other, /its parentHash is 0xee/],
      ['sha3Uncles', other, /its sha3Uncles is 0xee/],
      // The reward goes to another account.
      ['miner', other.subarray(12), /its stateRoot does not match its execution/],
      ['stateRoot', other, /its stateRoot does not match its execution/],
      ['transactionsRoot', other, /its transactionsRoot is 0xee/],
      ['receiptsRoot', other, /its receiptsRoot does not match its execution/],
      ['logsBloom', new Uint8Array(256), /its logsBloom does not match its execution/],
      ['difficulty', number(1), /its difficulty is 1, expected 0/],
      ['number', number(19), /its number is 19, expected 18/],
      ['gasLimit', number(90_000_000), /its gasLimit is 90000000, too far/],
      ['gasLimit', number(2n ** 63n), /its gasLimit is/],
      ['gasUsed', number(21_000), /its gasUsed does not match its execution/],
      ['gasUsed', number(2n ** 62n), /its gasUsed is above its gasLimit/],
      ['timestamp', number(170), /its timestamp is 170, expected more than/],
      ['extraData', new Uint8Array(33), /its extraData has 33 bytes/],
      // The contract stores it.
      ['mixHash', other, /its stateRoot does not match its execution/],
      ['nonce', new Uint8Array(8).fill(1), /its nonce is 0x0101010101010101/],
      ['baseFeePerGas', number(7), /its baseFeePerGas is 7, expected/],
      ['withdrawalsRoot', other, /its withdrawalsRoot is 0xee/],
      ['blobGasUsed', number(131_072), /its blobGasUsed is 131072, expected 0/],
      ['excessBlobGas', number(1), /its excessBlobGas is 1, expected/],
      ['parentBeaconBlockRoot', other, /its stateRoot does not match its execution/],
      ['requestsHash', other, /its requestsHash does not match its execution/],
      ['stateRoot', other.subarray(1), /its stateRoot has 31 bytes, expected 32/],
      ['gasUsed', Uint8Array.of(0, 1), /its gasUsed is not an integer of up to 64 bits/],
    ])('fails with an error that names its %s (%#), and changes nothing', async (field, value, problem) => {
      const chain = await startAt(LAST - 1)
      const before = await observe(chain)
      const bad = altered(LAST, set(field, value))
      const error = await chain.importBlocks(bad).catch((reason: Error) => reason)
      expect(error).toBeInstanceOf(ImportError)
      expect((error as ImportError).message).toMatch(/^block 18 cannot be imported: /)
      expect((error as ImportError).message).toMatch(problem)
      expect((error as ImportError).blockNumber).toBe(18n)
      expect(await observe(chain)).toEqual(before)
      const { block } = await chain.importBlocks(rlpOf(LAST))
      expect(block.hash).toBe(blocks[LAST - 1]!.hash)
      expect(await stateAt(chain, 'latest')).toEqual(blocks[LAST - 1]!.state)
    })

    it.each<[string, number, (...fields: Fields) => void, string]>([
      ['a header without its last field', 18, (header) => void header.pop(), 'its requestsHash is missing'],
      [
        'a header with an extra field',
        18,
        (header) => {
          while (header.length <= HEADER_FIELDS.length) header.push(other)
        },
        `its header has more than ${HEADER_FIELDS.length} fields`,
      ],
      [
        'a field from a later fork',
        16,
        (header) => void header.push(other),
        'its hardfork has no requestsHash',
      ],
      ['a missing transaction', 18, (_h, txs) => void txs.pop(), 'its transactionsRoot is'],
      [
        'a malformed transaction',
        18,
        (_h, txs) => void txs.splice(1, 1, Uint8Array.of(2, 1)),
        'transaction 1: ',
      ],
      [
        'a transaction of an unknown type',
        18,
        (_h, txs) => void txs.splice(0, 1, Uint8Array.of(0x90)),
        'transaction 0: its envelope has no type',
      ],
      ['an uncle after the merge', 18, (_h, _t, uncles) => void uncles.push([other]), 'uncle 0: '],
      [
        'a missing withdrawal',
        18,
        (_h, _t, _u, withdrawals) => void withdrawals.pop(),
        'its withdrawalsRoot is',
      ],
      [
        'half a withdrawal',
        18,
        (_h, _t, _u, withdrawals) => void withdrawals[0]!.pop(),
        'its amount of withdrawal 0 is missing',
      ],
    ])('may have %s', async (_name, at, change, problem) => {
      const chain = await startAt(at - 1)
      const before = await observe(chain)
      const bad = altered(at, change)
      await expect(chain.importBlocks(bad)).rejects.toThrow(`block ${at} cannot be imported: ${problem}`)
      expect(await observe(chain)).toEqual(before)
    })

    it.each<[string, number, (...fields: Fields) => void, string]>([
      ['another difficulty', 6, set('difficulty', number(131_073)), 'its difficulty is 131073, expected'],
      [
        'another receiptsRoot',
        3,
        set('receiptsRoot', other),
        'its receiptsRoot does not match its execution',
      ],
      [
        'another initial base fee',
        9,
        set('baseFeePerGas', number(7)),
        'its baseFeePerGas is 7, expected 1000000000',
      ],
      ['a missing uncle', 7, (_h, _t, uncles) => void uncles.pop(), 'its sha3Uncles is'],
      ['an uncle twice', 7, (_h, _t, uncles) => void uncles.splice(1, 1, uncles[0]!), 'its sha3Uncles is'],
    ])('before the merge may have %s', async (_name, at, change, problem) => {
      const bytes = concatBytes(upTo(at - 1), altered(at, change))
      await expect(start({ blocks: bytes })).rejects.toThrow(`block ${at} cannot be imported: ${problem}`)
    })

    it.each<[string, (...fields: Fields) => void, RegExp]>([
      [
        'be repeated',
        (_h, _t, uncles) => void uncles.splice(1, 1, uncles[0]!),
        /uncle 1: it is an ancestor or an uncle already/,
      ],
      [
        'be more than two',
        (_h, _t, uncles) => void uncles.push(uncles[0]!),
        /it has 3 uncles, expected at most 2/,
      ],
      [
        'have another difficulty',
        (_h, _t, uncles) => set('difficulty', number(1))(uncles[0]!),
        /uncle 0: its difficulty is 1/,
      ],
      [
        'have another parent',
        (_h, _t, uncles) => set('parentHash', other)(uncles[0]!),
        /uncle 0: its parentHash is not the hash of an ancestor 2 to 7 blocks back/,
      ],
      [
        'be a block of the chain',
        (_h, _t, uncles) => void uncles.splice(0, 1, headerOf(6)),
        /uncle 0: it is an ancestor/,
      ],
    ])('has uncles that may not %s', async (_name, change, problem) => {
      const bad = altered(7, (header, transactions, uncles, withdrawals) => {
        change(header, transactions, uncles, withdrawals)
        header[AT.sha3Uncles] = keccak256(RLP.encode(uncles))
      })
      await expect(start({ blocks: concatBytes(upTo(6), bad) })).rejects.toThrow(problem)
    })

    it.each<[string, () => Uint8Array, string]>([
      ['truncated', () => rlpOf(19).subarray(0, -1), 'its RLP is truncated'],
      ['truncated within their length', () => rlpOf(19).subarray(0, 2), 'its RLP is truncated'],
      ['followed by junk', () => concatBytes(rlpOf(19), Uint8Array.of(1, 2, 3)), 'its RLP is not a list'],
      [
        'followed by an empty list',
        () => concatBytes(rlpOf(19), Uint8Array.of(0xc0)),
        'its header is missing',
      ],
      ['not a list', () => Uint8Array.of(0x83, 1, 2, 3), 'its RLP is not a list'],
      ['empty lists', () => RLP.encode([[], [], []]), 'its number is missing'],
      ['malformed within', () => Uint8Array.of(0xc2, 0xc5, 1), 'its RLP is malformed'],
      ['in the wrong order', () => concatBytes(rlpOf(20), rlpOf(19)), 'its number is 20, expected 19'],
    ])('can come from bytes that are %s', async (_name, bytes, problem) => {
      const chain = await startAt(LAST)
      const error = await chain.importBlocks(bytes()).catch((reason: Error) => reason)
      expect(error).toBeInstanceOf(ImportError)
      const { blockNumber, message } = error as ImportError
      expect(message).toContain(`block ${blockNumber} cannot be imported: ${problem}`)
      // The blocks before it remain.
      expect(await ask(chain, 'eth_blockNumber')).toBe(quantity(blockNumber - 1n))
    })
  })
})
