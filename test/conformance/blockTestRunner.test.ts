import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes, toWord } from '../../src/base/bytes.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../src/base/rlp.ts'
import type { Address, Hash, Hex } from '../../src/base/types.ts'
import { mapResult } from '../../src/base/waiting.ts'
import { createManualClock, type PresealRpcBlock } from '../../src/index.ts'
import { startChain } from '../harness.ts'
import { accountOf, signTransaction } from '../signing.ts'
import { runBlockTest } from './blockTestRunner.ts'
import { type BlockTest, branchesOf, genesisOf, type ValidBlock } from './blockTests.ts'
import { OWN_ENGINE } from './engines.ts'
import type { PreState } from './stateTests.ts'
import { runStockBlocks } from './stockBlockTest.ts'

const KEY: Hex = `0x${'11'.repeat(32)}`
const SENDER = accountOf(KEY).address.toLowerCase() as Address
const CONTRACT: Address = `0x${'cc'.repeat(20)}`
const OTHER: Hash = `0x${'ab'.repeat(32)}`

/** Stores the block's number in the slot of the same number, and logs it as a topic. */
const CODE: Hex = '0x4380435560006000a1'

/** The index of the state root in a header. */
const STATE_ROOT = 3

const EMPTY = { balance: '0x0', nonce: '0x0', code: '0x', storage: {} } as const
const CREATED = { ...EMPTY, code: CODE, storage: { [toWord(1)]: '0x05', [toWord(7)]: '0x06' } } as const
const PRE: PreState = { [SENDER]: { ...EMPTY, balance: '0x0de0b6b3a7640000' }, [CONTRACT]: CREATED }

/** A test of two blocks with a transaction each, before and after Cancun. */
async function makeTest(): Promise<BlockTest> {
  const network = 'ShanghaiToCancunAtTime15k'
  const empty = {
    hash: OTHER,
    parentHash: OTHER,
    coinbase: CONTRACT,
    difficulty: '0x00',
    gasLimit: '0x1c9c380',
    timestamp: '0x00',
    extraData: '0x42',
    mixHash: OTHER,
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x07',
  } as const
  const unmade = {
    name: '',
    file: '',
    network,
    pre: PRE,
    blocks: [],
    lastblockhash: OTHER,
    genesisRLP: OTHER,
  }
  const genesis = genesisOf({ ...unmade, genesisBlockHeader: empty })
  const chain = await startChain({
    genesis,
    clock: createManualClock(14_000_000),
    coinbase: OTHER.slice(0, 42) as Hex,
  })
  const blocks: ValidBlock[] = []
  for (const nonce of [0, 1]) {
    const fields = {
      chainId: 1,
      nonce,
      gas: 100_000n,
      to: CONTRACT,
      maxFeePerGas: 100n,
      type: 'eip1559',
    } as const
    await chain.preconf.request({
      method: 'eth_sendRawTransaction',
      params: [await signTransaction(KEY, fields)],
    })
    const { block } = await chain.seal()
    const rlp = (await chain.preconf.request({ method: 'debug_getRawBlock', params: ['latest'] })) as Hex
    blocks.push({ rlp, blockHeader: toTestHeader(block) })
    await chain.advance(2_000_000)
  }
  const first = (await chain.preconf.request({
    method: 'eth_getBlockByNumber',
    params: ['0x0', false],
  })) as PresealRpcBlock
  const read = (method: string, ...params: unknown[]) =>
    chain.preconf.request({ method, params: [...params, 'latest'] } as never) as Promise<Hex>
  return {
    ...unmade,
    genesisBlockHeader: toTestHeader(first),
    genesisRLP: await chain.preconf.request({ method: 'debug_getRawBlock', params: ['0x0'] }),
    blocks,
    lastblockhash: blocks[1]!.blockHeader.hash,
    postState: {
      [SENDER]: { ...EMPTY, balance: await read('eth_getBalance', SENDER), nonce: '0x02' },
      [CONTRACT]: { ...CREATED, storage: { '0x01': '0x01', '0x02': '0x02', '0x07': '0x06' } },
    },
  }
}

function toTestHeader({ miner, ...block }: PresealRpcBlock<unknown>): ValidBlock['blockHeader'] {
  return { ...block, coinbase: miner }
}

describe('a block test', () => {
  it('passes, counts what was done, and names what differs if an expectation is altered', async () => {
    const test = await makeTest()
    const { differences, counts } = await runBlockTest(test)
    expect({ differences, counts }).toEqual({
      differences: [],
      counts: { 'blocks imported': 2, 'blocks simulated': 2 },
    })
    expect(await runStockBlocks(test)).toBeUndefined()

    const differencesOf = async (altered: object) =>
      (await runBlockTest({ ...test, ...altered })).differences.map((one) =>
        one.replace(/0x[0-9a-f]{20,}/g, '0x…'),
      )
    expect(await differencesOf({ lastblockhash: OTHER })).toEqual(['no branch ends at the head'])
    expect(await differencesOf({ postState: undefined, postStateHash: OTHER })).toEqual([
      'the state root is 0x…',
    ])
    const contract = { ...test.postState![CONTRACT], storage: { '0x01': '0x01', '0x07': '0x06' } }
    expect(await differencesOf({ postState: { ...test.postState, [CONTRACT]: contract } })).toEqual([])
    const slots = { ...contract, storage: { ...contract.storage, '0x02': '0x03' } }
    expect(await differencesOf({ postState: { ...test.postState, [CONTRACT]: slots } })).toEqual([
      `0x… has balance, nonce, code, slots 0x…,0x…,0x…: 0,0,${CODE},1,6,2, expected 0,0,${CODE},1,6,3`,
    ])
    expect(
      await differencesOf({ genesisBlockHeader: { ...test.genesisBlockHeader, timestamp: '0x1' } }),
    ).toEqual(['threw ImportError: block 1 cannot be imported: its parentHash is 0x…, expected 0x…'])
  })

  it('needs invalid blocks to be refused, with nothing changed', async () => {
    const test = await makeTest()
    const [first, second] = test.blocks as [ValidBlock, ValidBlock]
    const [header, ...body] = decodeRlp(hexToBytes(second.rlp)) as [Uint8Array[], ...RlpItem[]]
    const altered = header.map((field, i) => (i === STATE_ROOT ? hexToBytes(OTHER) : field))
    const invalid = { rlp: bytesToHex(encodeRlp([altered, ...body])), expectException: 'an alteration' }
    const { differences, counts } = await runBlockTest({ ...test, blocks: [first, invalid, second] })
    expect(differences).toEqual([])
    expect(counts).toEqual({
      'blocks imported': 2,
      'blocks simulated': 2,
      'blocks refused': 1,
      'refused for an alteration: its stateRoot does not match its execution': 1,
    })
    const valid = { rlp: second.rlp, expectException: 'nothing' }
    const accepted = await runBlockTest({
      ...test,
      blocks: [first, valid],
      lastblockhash: first.blockHeader.hash,
    })
    expect(accepted.differences).toContain('block 2 was not refused: nothing')
    expect(await runStockBlocks({ ...test, blocks: [first, valid] })).toBe('block 2 was not refused: nothing')
  })

  it('fails on an engine that charges too much', async () => {
    const test = await makeTest()
    const { differences } = await runBlockTest(test, (crypto) => {
      const own = OWN_ENGINE(crypto)
      return {
        run: (...args) =>
          mapResult(own.run(...args), (result) => ({ ...result, gasUsed: result.gasUsed + 1n })),
      }
    })
    expect(differences.length).toBeGreaterThan(0)
  })

  it('has a branch for each valid block without a successor, and each invalid block in one of them', async () => {
    const valid = (hash: string, parentHash: string) => ({ rlp: hash, blockHeader: { hash, parentHash } })
    const invalid = (name: string, parentHash?: string) => ({
      rlp: name,
      expectException: name,
      ...(parentHash !== undefined && { rlp_decoded: { blockHeader: { parentHash } } }),
    })
    const blocks = [
      invalid('after the genesis', 'genesis'),
      valid('a', 'genesis'),
      valid('b', 'a'),
      invalid('undecodable after b'),
      invalid('of an unknown parent after b', 'elsewhere'),
      valid('c', 'a'),
      invalid('after a', 'a'),
      invalid('after c', 'c'),
    ]
    const test = { genesisBlockHeader: { hash: 'genesis' }, lastblockhash: 'b', blocks }
    const branches = branchesOf(test as never).map(({ invalid, ...branch }) => ({
      isCanonical: branch.isCanonical,
      blocks: branch.blocks.map(({ rlp }) => rlp),
      invalid: [...invalid].map(([after, those]) => [after, those.map(({ rlp }) => rlp)]),
    }))
    expect(branches).toEqual([
      {
        isCanonical: true,
        blocks: ['a', 'b'],
        invalid: [
          [0, ['after the genesis']],
          [1, ['after a']],
          [2, ['undecodable after b', 'of an unknown parent after b']],
        ],
      },
      { isCanonical: false, blocks: ['a', 'c'], invalid: [[2, ['after c']]] },
    ])
  })
})
