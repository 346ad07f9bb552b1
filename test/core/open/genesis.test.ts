import { createBlockHeader } from '@ethereumjs/block'
import { createCommonFromGethGenesis, parseGethGenesisState } from '@ethereumjs/common'
import { MerkleStateManager } from '@ethereumjs/statemanager'
import { privateKeyToAddress } from 'viem/accounts'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bytesToHex } from '../../../src/base/bytes.ts'
import { type Crypto, loadCrypto } from '../../../src/base/crypto/crypto.ts'
import { InvalidOptionError } from '../../../src/base/errors.ts'
import { DEFAULT_MNEMONIC } from '../../../src/base/options/accountOptions.ts'
import type { GethGenesis, Hash } from '../../../src/base/types.ts'
import { mnemonicToAccounts } from '../../../src/core/accounts/accounts.ts'
import { buildGenesis, toGethGenesis } from '../../../src/core/open/genesis.ts'
import { resolveOptions } from '../../../src/core/options.ts'
import { DEPOSIT_CONTRACT } from '../../../src/ethereum/depositContract.ts'
import { encodeHeader } from '../../../src/ethereum/header.ts'
import { createChainRules, hardforkConfig } from '../../../src/ethereum/rules.ts'
import { stateRoot, UnbuiltTrie } from '../../../src/ethereum/state/stateTrie.ts'
import { BEACON_ROOTS } from '../../../src/ethereum/systemContracts.ts'
import { createChain } from '../../../src/index.ts'
import { STOCK_STARTS } from '../../forks.ts'
import { startChain } from '../../harness.ts'

let crypto: Crypto
describe('genesis block', () => {
  beforeAll(async () => {
    crypto = await loadCrypto()
  })

  const build = (genesis: GethGenesis) => buildGenesis(genesis, createChainRules(genesis), crypto)
  const stateRootOf = (genesis: GethGenesis) => build(genesis).block.header.stateRoot

  /** The state root that stock @ethereumjs computes. */
  async function stockRoot(genesis: GethGenesis): Promise<string> {
    const full = { difficulty: '0x0', nonce: '0x0', extraData: '0x', timestamp: '0x0', ...genesis } as never
    const manager = new MerkleStateManager({ common: createCommonFromGethGenesis(full, { chain: 'stock' }) })
    await manager.generateCanonicalGenesis(parseGethGenesisState(full))
    return bytesToHex(await manager.getStateRoot())
  }

  const ALLOC: GethGenesis['alloc'] = {
    '0x00000000000000000000000000000000000000aa': { balance: '0xde0b6b3a7640000' },
    '00000000000000000000000000000000000000bb': {
      balance: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    },
    '0x00000000000000000000000000000000000000CC': { balance: '0x0', nonce: '0x7', code: '0x6001600055' },
    '0x00000000000000000000000000000000000000dd': {
      balance: '1',
      code: '0x00',
      storage: {
        '0x0000000000000000000000000000000000000000000000000000000000000000':
          '0x0000000000000000000000000000000000000000000000000000000000000001',
        '0x0000000000000000000000000000000000000000000000000000000000000001':
          '0x00000000000000000000000000000000000000000000000000000000000000ff',
        '1000000000000000000000000000000000000000000000000000000000000000':
          'f000000000000000000000000000000000000000000000000000000000000000',
      },
    },
    '0x00000000000000000000000000000000000000ee': { balance: '0x0' },
  }

  const custom = (changes: Partial<GethGenesis> = {}): GethGenesis => ({
    config: hardforkConfig(99, 'prague'),
    alloc: ALLOC,
    gasLimit: '0x1c9c380',
    ...changes,
  })

  /** A genesis with a single account. */
  const one = (account: object, key = `0x${'00'.repeat(19)}aa`) =>
    custom({ alloc: { [key]: account } as never })

  describe('buildGenesis', () => {
    it('takes the root that is known of an alloc, and builds the state when it is read', () => {
      const genesis = custom({})
      const rules = createChainRules(genesis)
      const [digest, other, root] = (['11', '22', '33'] as const).map(
        (byte): Hash => `0x${byte.repeat(32)}`,
      ) as [Hash, Hash, Hash]
      const computed = buildGenesis(genesis, rules, crypto)
      expect(computed.allocRoot).toBeUndefined()

      const known = buildGenesis(genesis, rules, crypto, { digest, root: { digest, root } })
      expect(known.block.header.stateRoot).toBe(root)
      expect(known.allocRoot).toEqual({ digest, root })
      expect(known.changes).toEqual(computed.changes)

      const unknown = buildGenesis(genesis, rules, crypto, { digest, root: { digest: other, root } })
      expect(unknown.block).toEqual(computed.block)
      expect(unknown.allocRoot).toEqual({ digest, root: computed.block.header.stateRoot })
    })

    it.each(STOCK_STARTS)(
      'builds state and header of a genesis of %s as stock @ethereumjs does',
      async (hardfork) => {
        const genesis = custom({
          config: hardforkConfig(99, hardfork),
          timestamp: '0x64',
          nonce: '0x42',
          difficulty: '0x1',
          mixHash: `0x${'ab'.repeat(32)}`,
          coinbase: `0x${'cd'.repeat(20)}`,
          extraData: `0x${'11'.repeat(40)}`,
          baseFeePerGas: '0x7',
        })
        const { block } = build(genesis)
        expect(block.header.stateRoot).toBe(await stockRoot(genesis))
        const common = createCommonFromGethGenesis(genesis as never, { chain: 'stock' })
        common.setHardfork(hardfork)
        const { alloc: _, config: __, ...fields } = genesis
        const stock = createBlockHeader(
          { ...(fields as object), nonce: '0x0000000000000042', stateRoot: block.header.stateRoot },
          { common },
        )
        expect(bytesToHex(encodeHeader(block.header))).toBe(bytesToHex(stock.serialize()))
        expect(block).toMatchObject({
          hash: bytesToHex(stock.hash()),
          number: 0n,
          timestamp: 100n,
          transactions: [],
          receipts: [],
        })
      },
    )

    it.each(STOCK_STARTS)(
      'builds the state of the default genesis of %s as stock @ethereumjs does',
      async (hardfork) => {
        const accounts = [{ address: `0x${'aa'.repeat(20)}` as const, privateKey: '0x' as const }]
        const genesis = toGethGenesis(resolveOptions({ hardfork }), accounts, 1_700_000_000n)
        expect(stateRootOf(genesis)).toBe(await stockRoot(genesis))
      },
    )

    it('knows the root with the default dev accounts, which is that of their trie', async () => {
      const options = resolveOptions({})
      const accounts = await mnemonicToAccounts(DEFAULT_MNEMONIC, 10, crypto)
      const geth = toGethGenesis(options, accounts, 1_700_000_000n)
      const { block, stateTrie } = build(geth)
      expect(stateTrie).toBeInstanceOf(UnbuiltTrie)
      const built = bytesToHex(stateRoot((stateTrie as UnbuiltTrie).built, crypto))
      expect([block.header.stateRoot, built]).toEqual(Array(2).fill(await stockRoot(geth)))

      const fewer = toGethGenesis(options, accounts.slice(1), 1_700_000_000n)
      const richer = toGethGenesis(resolveOptions({ accounts: { balance: 1n } }), accounts, 1_700_000_000n)
      for (const other of [fewer, richer]) {
        expect(build(other).stateTrie).not.toBeInstanceOf(UnbuiltTrie)
        expect(stateRootOf(other)).toBe(await stockRoot(other))
      }
    })

    it('takes system contracts as the alloc has them, also changed or missing', async () => {
      const genesis = toGethGenesis(resolveOptions({}), [], 1_700_000_000n)
      const alloc = { ...genesis.alloc, [BEACON_ROOTS.address]: { balance: '0x5' } }
      const { address } = DEPOSIT_CONTRACT
      const { [address]: _, ...without } = genesis.alloc
      for (const changed of [
        { ...genesis, alloc },
        { ...genesis, alloc: without },
      ]) {
        expect(stateRootOf(changed)).toBe(await stockRoot(changed))
      }
    })

    it('reads every spelling that geth accepts', () => {
      const key = `0x${'00'.repeat(31)}01`
      const plain = stateRootOf(
        one({ balance: '0xff', nonce: '0x2', code: '0x6001', storage: { [key]: `0x${'00'.repeat(31)}0a` } }),
      )
      const spellings: [object, string?][] = [
        [{ balance: '255', nonce: '2', code: '0x6001', storage: { [key]: '0x0a' } }],
        [{ balance: '0xFF', nonce: '0x02', code: '6001', storage: { '0x1': '0xA' } }],
        [{ balance: 255, nonce: 2, code: '0X6001', storage: { '01': '0A' } }, `${'00'.repeat(19)}AA`],
        [
          {
            balance: '0x00ff',
            nonce: '02',
            code: '0x6001',
            storage: { [key.slice(2)]: `${'00'.repeat(31)}0a` },
          },
        ],
      ]
      for (const [account, address] of spellings) expect(stateRootOf(one(account, address))).toBe(plain)
    })

    it('reads the digits of a slot as hex, also if they could be decimal', () => {
      const slots = (storage: object) =>
        build(one({ balance: '0x0', storage }))
          .changes.slots.values()
          .next().value
      expect(slots({ '10': '10' })).toEqual(new Map([[`0x${'00'.repeat(31)}10`, 16n]]))
    })

    it('keeps empty accounts, and omits slots of zero', () => {
      const { changes } = build(one({ storage: { '0x01': '0x00' } }))
      expect([...changes.accounts.values()]).toMatchObject([
        { nonce: 0n, balance: 0n, storageId: 0, slotCount: 0 },
      ])
      expect(changes.slots.size).toBe(0)
    })

    it.each<[string, GethGenesis, string, string]>([
      [
        'balance',
        one({ balance: 'lots' }),
        `genesis.alloc.0x${'00'.repeat(19)}aa.balance`,
        'an integer >= 0 of up to 256 bits',
      ],
      [
        'negative balance',
        one({ balance: '-1' }),
        `genesis.alloc.0x${'00'.repeat(19)}aa.balance`,
        'an integer >= 0 of up to 256 bits',
      ],
      [
        'balance above 256 bits',
        one({ balance: `0x1${'00'.repeat(32)}` }),
        `genesis.alloc.0x${'00'.repeat(19)}aa.balance`,
        'an integer >= 0 of up to 256 bits',
      ],
      [
        'nonce above 64 bits',
        one({ nonce: `0x1${'00'.repeat(8)}` }),
        `genesis.alloc.0x${'00'.repeat(19)}aa.nonce`,
        'an integer >= 0 of up to 64 bits',
      ],
      ['code', one({ code: '0xzz' }), `genesis.alloc.0x${'00'.repeat(19)}aa.code`, 'a hex string'],
      [
        'slot',
        one({ storage: { x: '0x1' } }),
        `genesis.alloc.0x${'00'.repeat(19)}aa.storage`,
        'a hex string',
      ],
      [
        'slot value',
        one({ storage: { '0x1': `0x1${'00'.repeat(32)}` } }),
        `genesis.alloc.0x${'00'.repeat(19)}aa.storage.0x1`,
        'a hex string of up to 32 bytes',
      ],
      ['address', one({}, '0xaa'), 'genesis.alloc.0xaa', 'a hex string of 20 bytes'],
      ['timestamp', custom({ timestamp: 'now' }), 'genesis.timestamp', 'an integer >= 0 of up to 42 bits'],
      [
        'timestamp whose milliseconds are no safe integer',
        custom({ timestamp: '0x40000000000' }),
        'genesis.timestamp',
        'an integer >= 0 of up to 42 bits',
      ],
      [
        'excess of blob gas',
        custom({ excessBlobGas: '0x100000000' }),
        'genesis.excessBlobGas',
        'an integer >= 0 of up to 32 bits',
      ],
      [
        'amount of blob gas',
        custom({ blobGasUsed: '0x8000000000000000' }),
        'genesis.blobGasUsed',
        'an integer >= 0 of up to 32 bits',
      ],
      ['gas limit', custom({ gasLimit: '' }), 'genesis.gasLimit', 'an integer >= 0 of up to 64 bits'],
      ['coinbase', custom({ coinbase: '0xaa' }), 'genesis.coinbase', 'a hex string of 20 bytes'],
      ['mix hash', custom({ mixHash: '0xaa' }), 'genesis.mixHash', 'a hex string of 32 bytes'],
      ['extra data', custom({ extraData: 'text' }), 'genesis.extraData', 'a hex string'],
      [
        'base fee',
        custom({ baseFeePerGas: '1.5' }),
        'genesis.baseFeePerGas',
        'an integer >= 0 of up to 256 bits',
      ],
    ])('refuses an invalid %s, and names it', (_name, genesis, option, expected) => {
      const rules = createChainRules(custom())
      expect(() => buildGenesis(genesis, rules, crypto)).toThrow(new InvalidOptionError(option, expected))
    })
  })

  describe('the genesis block of a chain', () => {
    it('with the highest excess of blob gas, and an update fraction of 1, is followed by blocks', async () => {
      const { config, ...rest } = toGethGenesis(resolveOptions(), [], 0n)
      const blobSchedule = { prague: { target: 6, max: 9, baseFeeUpdateFraction: 1 } }
      const genesis = { ...rest, config: { ...config, blobSchedule }, excessBlobGas: '0xffffffff' }
      const chain = await createChain({ genesis, mining: 'manual' })
      onTestFinished(() => chain.close())
      await chain.seal()
      const fee = await chain.standard.request({ method: 'eth_blobBaseFee' })
      expect(BigInt(fee) >> 253n).toBe(1n)
    })

    it.each(STOCK_STARTS)('is followed by blocks of %s', async (hardfork) => {
      const chain = await startChain({ hardfork })
      const { block } = await chain.seal()
      expect(block.number).toBe('0x1')
    })

    it.each(STOCK_STARTS)('is followed by blocks of a given genesis of %s', async (hardfork) => {
      const chain = await startChain({ genesis: custom({ config: hardforkConfig(99, hardfork) }) })
      const { block } = await chain.seal()
      expect([chain.accounts, block.number]).toEqual([[], '0x1'])
      const balance = { method: 'eth_getBalance', params: [`0x${'00'.repeat(19)}aa`, 'earliest'] }
      expect(await chain.standard.request(balance)).toBe('0xde0b6b3a7640000')
    })

    it('has gas limit, base fee and time of the options, but not coinbase and extra data', async () => {
      const options = {
        gasLimit: 20_000_000n,
        initialBaseFeePerGas: 9n,
        extraData: '0x01',
        coinbase: `0x${'cc'.repeat(20)}`,
      } as const
      const chain = await startChain(options)
      const block = await chain.standard.request({
        method: 'eth_getBlockByNumber',
        params: ['earliest', false],
      })
      expect(block).toMatchObject({
        gasLimit: '0x1312d00',
        baseFeePerGas: '0x9',
        timestamp: '0x6553f100',
        miner: `0x${'00'.repeat(20)}`,
        extraData: '0x',
      })
      expect((await chain.seal()).block).toMatchObject({ extraData: '0x01', miner: `0x${'cc'.repeat(20)}` })
    })

    it('has the same state on every chain, also after another chain changed its own', async () => {
      const { address } = DEPOSIT_CONTRACT
      const read = ({ standard }: Awaited<ReturnType<typeof startChain>>, tag: string) =>
        Promise.all([
          standard.request({ method: 'eth_getBlockByNumber', params: ['earliest', true] }),
          standard.request({ method: 'eth_getCode', params: [address, tag] }),
          standard.request({ method: 'eth_getProof', params: [address, ['0x22'], tag] }),
        ])
      const first = await startChain()
      const before = await read(first, 'latest')
      await first.standard.request({ method: 'anvil_setCode', params: [address, '0x00'] })
      const slot = [address, '0x22', `0x${'01'.repeat(32)}`]
      await first.standard.request({ method: 'anvil_setStorageAt', params: slot })
      await first.seal()
      expect(await read(first, 'latest')).not.toEqual(before)
      expect(await read(await startChain(), 'latest')).toEqual(before)
    })

    it('funds given accounts in addition to those of a given genesis', async () => {
      const privateKey = `0x${'01'.repeat(32)}` as const
      const address = privateKeyToAddress(privateKey)
      const chain = await startChain({ genesis: custom(), accounts: [{ address, privateKey }] })
      const balance = { method: 'eth_getBalance', params: [address, 'latest'] }
      expect(BigInt((await chain.standard.request(balance)) as string)).toBe(10_000n * 10n ** 18n)
    })
  })
})
