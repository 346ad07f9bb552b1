import { createBlockFromExecutionPayload } from '@ethereumjs/block'
import { createCustomCommon, Mainnet } from '@ethereumjs/common'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes, hexToBytes } from '../../../src/base/bytes.ts'
import type { Hex, RpcBuiltBlock } from '../../../src/index.ts'
import { startForkScene } from '../../core/fork/forkScene.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask, probeCall, type Scene, sign, startScene, UNKNOWN } from '../scene.ts'

const ROOT: Hex = `0x${'cf'.repeat(32)}`

const attributesFor = ({ accounts }: Pick<Scene, 'accounts'>, timestamp: bigint) => ({
  timestamp: `0x${timestamp.toString(16)}` as Hex,
  prevRandao: UNKNOWN,
  suggestedFeeRecipient: accounts[9]!,
  withdrawals: [{ index: '0x3', validatorIndex: '0x1', address: accounts[8]!, amount: '0x5' }],
  parentBeaconBlockRoot: ROOT,
})

/** The block's RLP by @ethereumjs, which checks its hash. */
async function toRlp(
  { executionPayload, executionRequests }: RpcBuiltBlock,
  hardfork: string,
): Promise<Uint8Array> {
  const digests = executionRequests.map((request) => sha256(hexToBytes(request)))
  const payload = {
    ...executionPayload,
    ...(hardfork !== 'shanghai' && { parentBeaconBlockRoot: ROOT }),
    ...(['prague', 'osaka'].includes(hardfork) && {
      requestsHash: bytesToHex(sha256(concatBytes(...digests))),
    }),
  }
  const common = createCustomCommon({ chainId: 31337 }, Mainnet, { hardfork })
  const block = await createBlockFromExecutionPayload(payload as never, { common })
  expect(bytesToHex(block.hash())).toBe(executionPayload.blockHash)
  return block.serialize()
}

async function newest(chain: TestChain) {
  const { number, hash, timestamp } = (await chain.standard.request({
    method: 'eth_getBlockByNumber',
    params: ['latest', false],
  }))!
  return { number: BigInt(number!), hash: hash!, timestamp: BigInt(timestamp) }
}

describe('testing_buildBlockV1', () => {
  it.each(['shanghai', 'cancun', 'prague', 'osaka'] as const)(
    'builds a block that the chain and @ethereumjs find valid, on %s',
    async (hardfork) => {
      const scene = await startScene({ hardfork })
      const { chain, accounts, probe } = scene
      const head = await newest(chain)
      const raws = [
        await sign(chain, 5, { nonce: 0, to: accounts[1]!, value: 7n }),
        await sign(chain, 5, { nonce: 1, to: probe, data: probeCall('fail') }),
        await sign(chain, 6, { nonce: 0, to: accounts[1]!, gasPrice: 5_000_000_000n }),
      ]
      const attributes = attributesFor(scene, head.timestamp + 100n)
      const params = [head.hash, attributes, raws, '0x746573745f6e616d65'] as const
      const built = (await chain.standard.request({
        method: 'testing_buildBlockV1',
        params,
      })) as RpcBuiltBlock
      const { executionPayload } = built
      expect(executionPayload).toMatchObject({
        parentHash: head.hash,
        feeRecipient: accounts[9],
        prevRandao: UNKNOWN,
        blockNumber: `0x${(head.number + 1n).toString(16)}`,
        timestamp: attributes.timestamp,
        extraData: '0x746573745f6e616d65',
        transactions: raws,
        withdrawals: attributes.withdrawals,
      })
      const before = await chain.standard.request({
        method: 'eth_getBalance',
        params: [accounts[9]!, 'latest'],
      })
      const { receipts } = await chain.importBlocks(await toRlp(built, hardfork), { verify: 'ethereumjs' })
      expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x0', '0x1'])
      expect((await newest(chain)).hash).toBe(executionPayload.blockHash)
      const after = await chain.standard.request({
        method: 'eth_getBalance',
        params: [accounts[9]!, 'latest'],
      })
      expect(BigInt(after) - BigInt(before)).toBe(BigInt(built.blockValue))
      expect(built).toMatchObject({
        blobsBundle: { commitments: [], proofs: [], blobs: [] },
        executionRequests: [],
        shouldOverrideBuilder: false,
      })
    },
  )

  it('leaves the chain as it is', async () => {
    const scene = await startScene()
    const { chain, accounts, waiting } = scene
    const read = async () => [
      await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', true]),
      await ask(chain.standard, 'eth_getBlockByNumber', ['latest', true]),
      await ask(chain.standard, 'txpool_content'),
      await ask(chain.preconf, 'eth_getBalance', [accounts[8], 'pending']),
    ]
    const before = await read()
    const { hash, timestamp } = await newest(chain)
    const attributes = attributesFor(scene, timestamp + 9n)
    for (const raws of [null, [], [await sign(chain, 2, { nonce: 0, to: accounts[0]!, value: 1n })]]) {
      expect(await ask(chain.preconf, 'testing_buildBlockV1', [hash, attributes, raws])).toMatchObject({
        executionPayload: { parentHash: hash },
      })
    }
    expect(await read()).toEqual(before)
    await chain.seal()
    await chain.seal()
    expect(await ask(chain.standard, 'eth_getTransactionReceipt', [waiting])).toMatchObject({ status: '0x1' })
  })

  it('builds an empty block for an empty list, and takes the mempool for null', async () => {
    const scene = await startScene()
    const { chain, preconfBlock, waiting } = scene
    const { hash, timestamp } = await newest(chain)
    const attributes = { ...attributesFor(scene, timestamp + 9n), withdrawals: [] }
    const build = async (raws: unknown) =>
      (await ask(chain.standard, 'testing_buildBlockV1', [hash, attributes, raws, '0x'])) as RpcBuiltBlock
    expect((await build([])).executionPayload).toMatchObject({
      transactions: [],
      gasUsed: '0x0',
      extraData: '0x',
    })
    const hashes = [...preconfBlock.block.transactions.map((tx) => tx.hash), waiting]
    const expected = await Promise.all(
      hashes.map((tx) => ask(chain.preconf, 'eth_getRawTransactionByHash', [tx])),
    )
    expect((await build(null)).executionPayload.transactions.length).toBe(expected.length)
    const built = await chain.standard.request({
      method: 'testing_buildBlockV1',
      params: [hash, attributes as never, null],
    })
    await chain.importBlocks(await toRlp(built, 'prague'), { verify: 'ethereumjs' })
    expect((await newest(chain)).hash).toBe(built.executionPayload.blockHash)
  })

  it('builds on any block of the view, with the gas limit that is asked for', async () => {
    const scene = await startScene()
    const { chain, first, preconfBlock } = scene
    const attributes = { ...attributesFor(scene, 2_000_000_000n), withdrawals: [] }
    const build = (provider: 'standard' | 'preconf', hash: unknown, more = {}) =>
      ask(chain[provider], 'testing_buildBlockV1', [hash, { ...attributes, ...more }, []])
    expect(await build('standard', first.block.hash)).toMatchObject({
      executionPayload: { parentHash: first.block.hash, blockNumber: '0x2', gasLimit: '0x1c9c380' },
    })
    expect(await build('standard', first.block.hash, { targetGasLimit: '0x1c9c37f' })).toMatchObject({
      executionPayload: { gasLimit: '0x1c9c37f' },
    })
    // A header's gas limit differs from its parent's by less than a 1024th.
    expect(await build('standard', first.block.hash, { targetGasLimit: '0x1' })).toMatchObject({
      executionPayload: { gasLimit: `0x${(30_000_000 - 29_295).toString(16)}` },
    })
    expect(await build('preconf', preconfBlock.block.hash)).toMatchObject({
      executionPayload: { parentHash: preconfBlock.block.hash, blockNumber: '0x4' },
    })
    expect(await build('standard', preconfBlock.block.hash)).toBe('error -32000 header not found')
    expect(await build('standard', UNKNOWN)).toBe('error -32000 header not found')
  })

  it('returns the requests of the block', async () => {
    const scene = await startScene({ hardfork: 'prague' })
    const { chain, accounts } = scene
    const WITHDRAWALS = '0x00000961ef480eb55e80d19ad83579a64c007002'
    const data: Hex = `0x${'ab'.repeat(48)}0000000000000001`
    const raw = await sign(chain, 5, { nonce: 0, to: WITHDRAWALS, data, value: 1n, gas: 200_000n })
    const { hash, timestamp } = await newest(chain)
    const built = await chain.standard.request({
      method: 'testing_buildBlockV1',
      params: [hash, { ...attributesFor(scene, timestamp + 9n), withdrawals: [] } as never, [raw]],
    })
    const sender = accounts[5]!.slice(2).toLowerCase()
    expect(built.executionRequests).toEqual([`0x01${sender}${data.slice(2, 98)}${'01'.padEnd(16, '0')}`])
    await chain.importBlocks(await toRlp(built, 'prague'), { verify: 'ethereumjs' })
    expect((await newest(chain)).hash).toBe(built.executionPayload.blockHash)
  })

  it('refuses what a block cannot have, and changes nothing', async () => {
    const scene = await startScene()
    const { chain, accounts } = scene
    const { hash, timestamp } = await newest(chain)
    const attributes = attributesFor(scene, timestamp + 9n)
    const before = await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', true])
    const build = (raws: unknown, more = {}, extraData: unknown = null) =>
      ask(chain.standard, 'testing_buildBlockV1', [hash, { ...attributes, ...more }, raws, extraData])
    const gap = await sign(chain, 5, { nonce: 999, to: accounts[0]! })
    const large = await sign(chain, 5, { nonce: 0, to: accounts[0]!, gas: 30_000_001n })
    expect(await build([gap])).toMatch(/^error -32000 nonce too high/)
    expect(await build([large])).toMatch(/^error -32000 /)
    expect(await build(['0x05'])).toMatch(/^error -32000 /)
    expect(await build(['0x'])).toMatch(/^error -32602 /)
    expect(await build([], { timestamp: `0x${timestamp.toString(16)}` })).toBe(
      `error -32602 invalid argument 1.timestamp: expected at least 0x${(timestamp + 1n).toString(16)}`,
    )
    expect(await build([], {}, `0x${'00'.repeat(33)}`)).toBe(
      'error -32602 invalid argument 3: expected at most 32 bytes',
    )
    expect(await build([], { prevRandao: undefined })).toMatch(/^error -32602 invalid argument 1.prevRandao/)
    expect(await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', true])).toEqual(before)
    const early = await startChain({ hardfork: 'paris' })
    const { hash: parent } = await newest(early)
    const withdrawn = await ask(early.standard, 'testing_buildBlockV1', [parent, attributes, []])
    expect(withdrawn).toBe('error -32000 withdrawals set before Shanghai activation')
    const built = await ask(early.standard, 'testing_buildBlockV1', [
      parent,
      { ...attributes, withdrawals: [] },
      [],
    ])
    expect(Object.keys((built as RpcBuiltBlock).executionPayload)).not.toContain('withdrawals')
  })

  it('builds on a fork at the forked block and after it', async () => {
    const { remote, fork } = await startForkScene()
    const { chain, accounts, second, first } = remote
    const attributes = { ...attributesFor(remote, 2_000_000_000n), withdrawals: [] }
    const raw = await sign(chain, 5, { nonce: 0, to: accounts[1]!, value: 7n })
    const build = (parent: unknown) => ask(fork.standard, 'testing_buildBlockV1', [parent, attributes, [raw]])
    expect(await build(second.block.hash)).toMatchObject({
      executionPayload: { blockNumber: '0x3', gasUsed: '0x5208', transactions: expect.any(Array) },
    })
    expect(await build(first.block.hash)).toMatch(/^error -32000 /)
  })
})
