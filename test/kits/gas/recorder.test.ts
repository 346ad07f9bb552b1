import { createWalletClient, encodeFunctionData, getContractAddress, type Hex, publicActions } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Hash, PresealChain } from '../../../src/index.ts'
import { createGasRecorder, createGasReport, type GasReport } from '../../../src/kits/gas/index.ts'
import { chainTransport, preseal } from '../../../src/kits/viem/index.ts'
import { Child, Collection, Token, UpgradeableProxy } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'

const ARTIFACTS = { Child, Token, UpgradeableProxy }

/** A chain that is watched, a client of its first account, and its next contract's address. */
async function watchChain(options: Parameters<typeof startChain>[0] = {}) {
  const chain = await startChain({ mining: 'interval', ...options })
  const recorder = createGasRecorder()
  recorder.watch(chain)
  const [alice, bob] = chain.accounts
  const client = createWalletClient({
    account: alice!.address,
    chain: preseal,
    transport: chainTransport(chain),
  }).extend(publicActions)
  return {
    chain,
    client,
    bob: bob!.address,
    addressOf: (nonce: bigint) => getContractAddress({ from: alice!.address, nonce }).toLowerCase() as Hex,
    report: async (artifacts: Readonly<Record<string, unknown>> = ARTIFACTS) =>
      createGasReport([await recorder.record()], { artifacts }),
  }
}

const gasOf = async (chain: PresealChain, view: 'standard' | 'preconf', hash: Hash) =>
  Number((await chain[view].request({ method: 'eth_getTransactionReceipt', params: [hash] }))?.gasUsed)

const once = (gas: number) => ({ count: 1, min: gas, mean: gas, median: gas, max: gas })

const namesOf = ({ contracts }: GasReport) =>
  contracts.flatMap(({ name, methods }) =>
    methods.map(({ signature, count }) => `${name} ${signature} ${count}`),
  )

describe('a recorder of gas', () => {
  it('records what pre-confirmed transactions cost, which is what they cost once they are sealed', async () => {
    const { chain, client, bob, addressOf, report } = await watchChain()
    const hashes = [await client.deployContract({ ...Token, args: [] } as never)]
    const transfer = (args: readonly [Hex, bigint]) =>
      client.writeContract({
        abi: Token.abi,
        address: addressOf(0n),
        functionName: 'transfer',
        args,
        gas: 100_000n,
      })
    hashes.push(await transfer([bob, 5n]), await transfer([bob, 1n << 200n]), await transfer([bob, 500n]))
    await chain.advance(200)
    const preconfirmed = await Promise.all(hashes.map((hash) => gasOf(chain, 'preconf', hash)))
    const before = await report()
    await chain.advance(2000)
    expect(await Promise.all(hashes.map((hash) => gasOf(chain, 'standard', hash)))).toEqual(preconfirmed)
    const [deployment, first, , last] = preconfirmed as [number, number, number, number]
    expect(before).toEqual({
      contracts: [
        {
          name: 'Token',
          deployments: { ...once(deployment), size: (Token.deployedBytecode.length - 2) / 2 },
          methods: [
            {
              signature: 'transfer(address,uint256)',
              count: 2,
              min: last,
              mean: Math.round((first + last) / 2),
              median: Math.round((first + last) / 2),
              max: first,
            },
          ],
        },
      ],
      notes: [],
    })
    // Sealed, they are not new.
    expect((await report()).contracts).toEqual([])
  })

  it.each(['auto', 'interval'] as const)('records the same in %s mining', async (mining) => {
    const { chain, client, addressOf, report } = await watchChain({ mining })
    await client.deployContract({ ...Child, args: [7n] } as never)
    if (mining === 'interval') await chain.advance(200)
    await client.writeContract({
      abi: Child.abi,
      address: addressOf(0n),
      functionName: 'set',
      args: [8n],
    } as never)
    await client.sendTransaction({ to: addressOf(0n), value: 1n, gas: 50_000n })
    await client.sendTransaction({ to: addressOf(0n), data: '0x12345678', gas: 50_000n })
    if (mining === 'interval') await chain.advance(2000)
    expect(await report()).toEqual({
      contracts: [
        {
          name: 'Child',
          deployments: { ...once(128_078), size: 239 },
          methods: [
            { signature: 'receive()', ...once(21_055) },
            { signature: 'set(uint256)', ...once(26_416) },
          ],
        },
      ],
      notes: [],
    })
  })

  it('counts a transaction again after a revert, and once after a reorg or a retraction', async () => {
    const { chain, client, addressOf, report } = await watchChain()
    await client.deployContract({ ...Child, args: [7n] } as never)
    await chain.advance(2000)
    const set = (word: bigint) =>
      client.writeContract({
        abi: Child.abi,
        address: addressOf(0n),
        functionName: 'set',
        args: [word],
      } as never)
    const snapshot = await chain.snapshot()
    for (const _ of [1, 2]) {
      await set(8n)
      await chain.advance(2000)
      await chain.revert(snapshot)
    }
    expect(namesOf(await report())).toEqual(['Child set(uint256) 2'])
    await set(9n)
    await chain.advance(2000)
    await chain.reorg({ depth: 1 })
    expect(namesOf(await report())).toEqual([])
    await chain.advance(2000)
    const hash = await set(10n)
    await chain.advance(200)
    await chain.retract({ transactions: [hash] } as never)
    await chain.advance(400)
    expect(namesOf(await report())).toEqual(['Child set(uint256) 2'])
  })

  it('names calls of proxies and delegated accounts by their implementation', async () => {
    const { chain, client, bob, addressOf, report } = await watchChain()
    await client.deployContract({ ...Child, args: [7n] } as never)
    await client.deployContract({ ...UpgradeableProxy, args: [addressOf(0n)] } as never)
    const clone =
      `0x3d602d80600a3d3981f3363d3d373d3d3d363d73${addressOf(0n).slice(2)}5af43d82803e903d91602b57fd5bf3` as const
    await client.sendTransaction({ data: clone, gas: 500_000n })
    await chain.advance(200)
    await chain.setCode(bob, `0xef0100${addressOf(0n).slice(2)}`)
    const data = encodeFunctionData({ abi: Child.abi, functionName: 'set', args: [8n] } as never)
    for (const to of [addressOf(1n), addressOf(2n), bob])
      await client.sendTransaction({ to, data, gas: 100_000n })
    await chain.advance(200)
    const all = await report()
    expect(namesOf(all)).toEqual([
      'Child (via EIP-1167) set(uint256) 1',
      'Child (via EIP-7702) set(uint256) 1',
      'Child (via UpgradeableProxy) set(uint256) 1',
    ])
  })

  it('lists contracts without an artifact by their address, and methods by their selector', async () => {
    const { chain, client, addressOf, report } = await watchChain()
    await client.deployContract({ ...Child, args: [7n] } as never)
    await chain.advance(200)
    await client.writeContract({
      abi: Child.abi,
      address: addressOf(0n),
      functionName: 'set',
      args: [8n],
    } as never)
    await chain.advance(200)
    const { contracts, notes } = await report({ Collection, Broken: { abi: 'none' }, Bad: null })
    expect(contracts).toEqual([
      {
        name: addressOf(0n),
        deployments: { ...once(128_078), size: 239 },
        methods: [{ signature: '0x60fe47b1', ...once(26_416) }],
      },
    ])
    expect(notes).toEqual([
      'artifact Broken/abi is not used: it is neither an artifact, an ABI nor build info',
      'artifact Bad is not used: it is neither an artifact, an ABI nor build info',
      'contracts that no artifact has the code of are listed by address',
    ])
  })

  it('leaves out what no longer is watched', async () => {
    const chain = await startChain({ mining: 'auto' })
    const recorder = createGasRecorder()
    const watch = recorder.watch(chain)
    watch.stop()
    const [alice] = chain.accounts
    await chain.standard.request({
      method: 'eth_sendTransaction',
      params: [{ from: alice!.address, data: Token.bytecode }],
    })
    expect(await watch.take()).toEqual([])
    expect(await recorder.record()).toEqual({ codes: [], samples: [] })
  })
})
