/** How often a fork asks the node for what a call reads, if that is spread over many contracts. */
import { encodeFunctionData, type Hex, pad, toHex } from 'viem'
import { expect, it } from 'vitest'
import { Exchange, Pool, Token } from '../contracts/artifacts.ts'
import { startChain, viemOn } from '../harness.ts'
import { ask } from '../rpc/scene.ts'
import { between, forkOf } from './remoteChain.ts'

const RESERVE = 10n ** 20n
const AMOUNT = 10n ** 18n

it('reads a swap over two pools in five trips', async () => {
  const remote = await startChain({ mining: 'auto' })
  const { public: client, wallet } = viemOn(remote)
  const owner = wallet(0)
  const deploy = async (contract: object): Promise<Hex> => {
    const hash = await owner.deployContract(contract as never)
    return (await client.getTransactionReceipt({ hash })).contractAddress!
  }
  const write = (
    abi: readonly unknown[],
    address: Hex,
    functionName: string,
    args: readonly unknown[] = [],
  ) => owner.writeContract({ abi, address, functionName, args } as never)

  const tokens = [await deploy(Token), await deploy(Token), await deploy(Token)]
  const exchange = await deploy(Exchange)
  for (const pair of [tokens.slice(0, 2), tokens.slice(1)]) {
    const pool = await deploy({ ...Pool, args: pair })
    for (const token of pair) await write(Token.abi, token, 'transfer', [pool, RESERVE])
    await write(Pool.abi, pool, 'sync')
    await write(Exchange.abi, exchange, 'add', [pool])
  }
  await write(Token.abi, tokens[0]!, 'approve', [exchange, AMOUNT])

  const node = between(remote.preconf)
  const fork = await forkOf(node)
  const before = node.trips()
  const data = encodeFunctionData({ ...Exchange, functionName: 'swap', args: [AMOUNT, tokens] })
  const call = { from: remote.accounts[0]!.address, to: exchange, data }
  const out = (amount: bigint) => (RESERVE * amount) / (RESERVE + amount)
  expect(await ask(fork.standard, 'eth_call', [call])).toBe(pad(toHex(out(out(AMOUNT))), { size: 32 }))
  expect(node.trips() - before).toBeLessThanOrEqual(5)
  const { length } = node.asked
  await ask(fork.standard, 'eth_call', [call])
  expect(node.asked).toHaveLength(length)
})
