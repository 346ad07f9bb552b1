/** viem's simulations, and calls and estimates with overrides, in both dialects. */
import {
  type BaseError,
  createPublicClient,
  custom,
  encodeFunctionData,
  ethAddress,
  type Hex,
  InsufficientFundsError,
  parseEther,
  toHex,
} from 'viem'
import { foundry } from 'viem/chains'
import { describe, expect, it, test } from 'vitest'
import { Probe, Token } from '../contracts/artifacts.ts'
import { startScene } from '../rpc/scene.ts'
import { failure } from './viemSetup.ts'

const NOBODY: Hex = `0x${'99'.repeat(20)}`

async function start(dialect: 'preconf' | 'geth') {
  const scene = await startScene()
  const { chain, accounts } = scene
  // viem retries on codes that it does not know.
  const transport = custom(chain.provider('preconf', { dialect }), { retryCount: 0 })
  const client = createPublicClient({ chain: foundry, transport, cacheTime: 0 })
  const [alice, bob] = accounts as [Hex, Hex]
  return { ...scene, client, alice, bob }
}

const lacksFunds = (error: BaseError) => error.walk((at) => at instanceof InsufficientFundsError) !== null

describe('simulations of viem', () => {
  describe.each(['preconf', 'geth'] as const)('viem, in the %s dialect', (dialect) => {
    it('simulates blocks one after the other on the pre-confirmed state', async () => {
      const { client, alice, bob, token, probe, preconfBlock } = await start(dialect)
      const [one, two] = await client.simulateBlocks({
        blockTag: 'pending',
        traceTransfers: true,
        blocks: [
          {
            blockOverrides: { baseFeePerGas: 5n },
            stateOverrides: [{ address: NOBODY, balance: parseEther('2') }],
            calls: [
              { from: NOBODY, to: bob, value: parseEther('1') },
              { from: alice, to: token, abi: Token.abi, functionName: 'transfer', args: [bob, 3n] },
              { to: probe, from: alice, abi: Probe.abi, functionName: 'fail' },
            ],
          },
          { calls: [{ to: token, abi: Token.abi, functionName: 'balanceOf', args: [bob] }] },
        ],
      })
      expect(one).toMatchObject({ number: 4n, parentHash: preconfBlock.block.hash, baseFeePerGas: 5n })
      expect(one!.calls).toMatchObject([
        {
          status: 'success',
          gasUsed: 21_000n,
          logs: [{ address: ethAddress, data: toHex(parseEther('1'), { size: 32 }) }],
        },
        { status: 'success', result: true, logs: [{ address: token }] },
        { status: 'failure' },
      ])
      const failed = one!.calls[2] as { readonly error?: Error }
      expect(failed.error?.message).toContain('Nope(uint256 code)')
      expect(two!.calls).toMatchObject([{ status: 'success', result: 10n }])
    })

    it('simulates calls, and reports their asset changes', async () => {
      const { client, alice, bob, token } = await start(dialect)
      const { results, assetChanges, block } = await client.simulateCalls({
        account: alice,
        traceAssetChanges: true,
        calls: [
          { to: bob, value: parseEther('1') },
          {
            to: token,
            data: encodeFunctionData({ abi: Token.abi, functionName: 'transfer', args: [bob, 3n] }),
          },
          { to: token, abi: Token.abi, functionName: 'balanceOf', args: [bob] },
        ],
      })
      expect(block.number).toBe(3n)
      expect(results).toMatchObject([
        { status: 'success' },
        { status: 'success' },
        { status: 'success', result: 5n },
      ])
      expect(assetChanges.map(({ token: { address }, value: { diff } }) => ({ address, diff }))).toEqual([
        { address: ethAddress, diff: -parseEther('1') },
        { address: token, diff: -3n },
      ])
    })

    it('reports why a simulation was refused', async () => {
      const { client, bob } = await start(dialect)
      const blocks = [
        { blockOverrides: { number: 9n }, calls: [] },
        { blockOverrides: { number: 8n }, calls: [] },
      ]
      const error = await failure(client.simulateBlocks({ blocks }))
      expect(error.message).toContain('block numbers must be in order: 8 <= 9')
      const poor = client.simulateBlocks({
        validation: true,
        blocks: [{ calls: [{ from: NOBODY, to: bob, value: 1n, gas: 21_000n, maxFeePerGas: 10n ** 10n }] }],
      })
      if (dialect === 'geth') expect(lacksFunds(await failure(poor))).toBe(true)
      else expect((await poor)[0]!.calls[0]!.status).toBe('failure')
    })

    it('calls with overrides of state and block', async () => {
      const { client, probe } = await start(dialect)
      const code = await client.getCode({ address: probe })
      const slot = toHex(7, { size: 32 })
      const data = encodeFunctionData({ abi: Probe.abi, functionName: 'get', args: [7n] })
      const read = async (stateOverride: Parameters<typeof client.call>[0]['stateOverride']) =>
        (await client.call({ to: NOBODY, data, stateOverride })).data
      expect(await read([{ address: NOBODY, code: code! }])).toBe(toHex(0, { size: 32 }))
      for (const kind of ['state', 'stateDiff'] as const) {
        const override = { address: NOBODY, code: code!, [kind]: [{ slot, value: toHex(5, { size: 32 }) }] }
        expect(await read([override as never])).toBe(toHex(5, { size: 32 }))
      }
      const context = encodeFunctionData({ abi: Probe.abi, functionName: 'context' })
      const { data: seen } = await client.call({
        to: probe,
        data: context,
        blockOverrides: { number: 99n, time: 1_900_000_000n },
      })
      expect([seen!.slice(0, 66), `0x${seen!.slice(66, 130)}`].map(BigInt)).toEqual([99n, 1_900_000_000n])
    })

    it('estimates with overrides of state', async () => {
      const { client, bob, probe } = await start(dialect)
      const request = { account: NOBODY, to: bob, value: parseEther('1') } as const
      expect(lacksFunds(await failure(client.estimateGas(request)))).toBe(true)
      const funded = [{ address: NOBODY, balance: parseEther('2') }]
      expect(await client.estimateGas({ ...request, stateOverride: funded })).toBe(21_000n)
      const set = {
        to: probe,
        data: encodeFunctionData({ abi: Probe.abi, functionName: 'set', args: [7n, 1n] }),
      }
      const fresh = await client.estimateGas(set)
      const dirty = [
        { address: probe, stateDiff: [{ slot: toHex(7, { size: 32 }), value: toHex(5, { size: 32 }) }] },
      ]
      // Setting a slot that is not zero costs 17,100 gas less (EIP-2200).
      expect(fresh - (await client.estimateGas({ ...set, stateOverride: dirty }))).toBe(17_100n)
    })
  })

  test('viem simulates blocks with a gap in their numbers, and gets the requested ones', async () => {
    const { client, bob } = await start('preconf')
    const call = { from: NOBODY, to: bob }
    const blocks = await client.simulateBlocks({
      blocks: [{ calls: [call] }, { blockOverrides: { number: 7n }, calls: [call, call] }],
    })
    expect(blocks.map(({ number, calls }) => [number, calls.length])).toEqual([
      [3n, 1],
      [7n, 2],
    ])
  })
})
