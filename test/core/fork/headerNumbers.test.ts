/** Numbers in the header of the forked block, which a node chooses. */
import { describe, expect, it } from 'vitest'
import { InvalidRemoteAnswerError } from '../../../src/kits/errors/index.ts'
import { startChain, viemOn } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { type Between, between, forkOf } from './remoteChain.ts'

/** A node whose blocks have these fields. */
async function nodeWith(fields: Readonly<Record<string, unknown>>): Promise<Between> {
  const remote = await startChain()
  return between(remote.standard, async (asked) => {
    if (!asked.method.startsWith('eth_getBlockBy')) return undefined
    return { ...((await remote.standard.request(asked as never)) as object), ...fields }
  })
}

const beyond = (bits: number) => `0x${(1n << BigInt(bits)).toString(16)}`
const below = (bits: number) => `0x${((1n << BigInt(bits)) - 1n).toString(16)}`

const bitsOf = (bits: number) => `a hex quantity of up to ${bits} bits`

/** By field: what is refused, and what is expected in its place. */
const REFUSED: readonly (readonly [field: string, value: unknown, expected: string])[] = [
  ['number', beyond(52), bitsOf(52)],
  ['timestamp', beyond(42), bitsOf(42)],
  ['gasLimit', '0x1387', 'a hex quantity from 0x1388 to 0x7fffffffffffffff'],
  ['gasLimit', beyond(63), 'a hex quantity from 0x1388 to 0x7fffffffffffffff'],
  ['gasUsed', beyond(63), bitsOf(63)],
  ['baseFeePerGas', beyond(128), bitsOf(128)],
  ['baseFeePerGas', 'junk', bitsOf(128)],
  ['difficulty', `0x1${'0'.repeat(64)}`, bitsOf(256)],
  ['blobGasUsed', beyond(32), bitsOf(32)],
  ['excessBlobGas', beyond(32), bitsOf(32)],
  ['excessBlobGas', '0x8000000000000000', bitsOf(32)],
  ['extraData', '0x1', 'a hex string of up to 16777216 bytes'],
  ['size', {}, bitsOf(53)],
  ['size', beyond(53), bitsOf(53)],
]

describe('a header of the forked node', () => {
  it.each(REFUSED)(
    'with another %s than the chain supports is refused: %j',
    async (field, value, expected) => {
      const node = await nodeWith({ [field]: value })
      await expect(forkOf(node)).rejects.toThrow(
        new InvalidRemoteAnswerError('eth_getBlockByNumber', ['latest', false], `.${field}`, expected),
      )
    },
  )

  it.each([0, 2n ** 53n])('is not asked for of a chain whose id no chain has: %d', async (id) => {
    const remote = await startChain()
    const node = between(remote.standard, ({ method }) =>
      method === 'eth_chainId' ? `0x${id.toString(16)}` : undefined,
    )
    await expect(forkOf(node)).rejects.toThrow(
      new InvalidRemoteAnswerError('eth_chainId', [], '', 'a hex quantity from 0x1 to 0x1fffffffffffff'),
    )
  })

  it('with the largest numbers begins a chain that goes on', async () => {
    const node = await nodeWith({
      number: below(52),
      timestamp: below(42),
      gasLimit: below(63),
      gasUsed: below(63),
      baseFeePerGas: below(128),
      blobGasUsed: below(32),
      excessBlobGas: below(32),
      size: below(53),
    })
    const chain = await forkOf(node, { accounts: { balance: 2n ** 255n } })
    await chain.seal()
    expect(await ask(chain.standard, 'eth_blockNumber', [])).toBe(beyond(52))
    const block = await ask(chain.standard, 'eth_getBlockByNumber', ['latest', false])
    expect(block).toMatchObject({ timestamp: beyond(42), excessBlobGas: '0x1fff3fffe' })
    const history = await ask(chain.standard, 'eth_feeHistory', ['0x1', 'latest', []])
    expect(history).toMatchObject({ oldestBlock: beyond(52), gasUsedRatio: [0] })
    const { wallet } = viemOn(chain)
    await wallet(0).sendTransaction({ to: chain.accounts[1]!.address, value: 1n })
    await chain.seal()
    expect(await ask(chain.standard, 'eth_getBlockTransactionCountByNumber', ['latest'])).toBe('0x1')
  })

  /** Denominator, elasticity, and whether blocks follow them. */
  const ELASTICITIES = [
    ['000000fa', '00000006', true],
    ['00000001', '00001388', true],
    ['00000001', '00001389', false],
    ['00000001', 'ffffffff', false],
  ] as const

  it.each(ELASTICITIES)(
    'of the OP stack is followed by blocks with transactions: 1/%s, %s',
    async (denominator, elasticity, isFollowed) => {
      const gasUsed = 21_000n
      const fields = { extraData: `0x00${denominator}${elasticity}`, gasLimit: '0x1c9c380', gasUsed: '0x0' }
      const chain = await forkOf(await nodeWith(fields))
      const { wallet } = viemOn(chain)
      const send = () => wallet(0).sendTransaction({ to: chain.accounts[1]!.address, value: 1n })
      await send()
      await chain.seal()
      await chain.seal()
      const [one, two] = (await Promise.all(
        ['0x1', '0x2'].map((number) => ask(chain.standard, 'eth_getBlockByNumber', [number, false])),
      )) as { baseFeePerGas: string; gasLimit: string }[]
      const [fee, limit] = [BigInt(one!.baseFeePerGas), BigInt(one!.gasLimit)]
      const [e, d] = isFollowed ? [BigInt(`0x${elasticity}`), BigInt(`0x${denominator}`)] : [2n, 8n]
      const target = limit / e
      const change = ((gasUsed > target ? gasUsed - target : target - gasUsed) * fee) / target / d
      expect(BigInt(two!.baseFeePerGas)).toBe(
        gasUsed > target ? fee + (change > 1n ? change : 1n) : fee - change,
      )
    },
  )
})
