import { MemoryLevel } from 'memory-level'
import {
  type Address,
  concat,
  createPublicClient,
  createWalletClient,
  custom,
  encodeDeployData,
  getContractAddress,
  numberToHex,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { CREATE2_PROXY } from '../../src/ethereum/systemContracts.ts'
import type { Hex } from '../../src/index.ts'
import { preseal } from '../../src/kits/viem/index.ts'
import { Token } from '../contracts/artifacts.ts'
import { genesisOf } from '../forks.ts'
import { startChain, type TestChain } from '../harness.ts'
import { ask } from '../rpc/scene.ts'

const PROXY = CREATE2_PROXY.address
/** Its public deployment transaction, and the sender of that (github.com/Arachnid/deterministic-deployment-proxy). */
const DEPLOYMENT: Hex = `0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba0${'22'.repeat(32)}a0${'22'.repeat(32)}`
const DEPLOYER: Address = '0x3fab184622dc19b6109349b94811493bf2a45362'

const accountOf = async ({ standard }: TestChain, address: Address) => [
  await ask(standard, 'eth_getCode', [address]),
  await ask(standard, 'eth_getTransactionCount', [address]),
  await ask(standard, 'eth_getBalance', [address]),
]

const headOf = ({ standard }: TestChain) =>
  standard.request({ method: 'eth_getBlockByNumber', params: ['latest', true] })

describe('the CREATE2 proxy', () => {
  it.each(['paris', 'prague', 'osaka'] as const)(
    'is part of the default genesis of %s (core/DECISIONS.md 66)',
    async (hardfork) => {
      const chain = await startChain({ hardfork, accounts: [] })
      expect(await accountOf(chain, PROXY)).toEqual([CREATE2_PROXY.code, '0x1', '0x0'])
    },
  )

  it('has the code, nonce and balance that its public deployment transaction leaves', async () => {
    const chain = await startChain({ genesis: genesisOf({ [DEPLOYER]: { balance: '0x2386f26fc10000' } }) })
    expect(await accountOf(chain, PROXY)).toEqual(['0x', '0x0', '0x0'])
    await chain.standard.request({ method: 'eth_sendRawTransaction', params: [DEPLOYMENT] })
    await chain.seal()
    expect(await accountOf(chain, PROXY)).toEqual(await accountOf(await startChain(), PROXY))
  })

  it('deploys what viem sends it to the address of CREATE2', async () => {
    const chain = await startChain({ mining: 'auto' })
    const options = { chain: preseal, transport: custom(chain.live) }
    const wallet = createWalletClient({ ...options, account: chain.accounts[0].address })
    const client = createPublicClient(options)
    const salt = numberToHex(7, { size: 32 })
    const bytecode = encodeDeployData(Token)
    const address = getContractAddress({ opcode: 'CREATE2', from: PROXY, salt, bytecode })
    const { data } = await client.call({ to: PROXY, data: concat([salt, bytecode]) })
    expect(data).toBe(address.toLowerCase())
    const { status } = await wallet.sendTransactionSync({ to: PROXY, data: concat([salt, bytecode]) })
    expect(status).toBe('success')
    const direct = await wallet.deployContract(Token)
    const { contractAddress } = await client.getTransactionReceipt({ hash: direct })
    const codes = [address, contractAddress!].map((one) => client.getCode({ address: one }))
    const [proxied, plain] = await Promise.all(codes)
    expect(proxied).toBe(plain)
    expect(proxied).toMatch(/^0x6080/)
  })

  it('is not added to a given genesis', async () => {
    const without = await startChain({ genesis: genesisOf({}) })
    expect(await accountOf(without, PROXY)).toEqual(['0x', '0x0', '0x0'])
    const own = await startChain({ genesis: genesisOf({ [PROXY]: { balance: '0x5' } }) })
    expect(await accountOf(own, PROXY)).toEqual(['0x', '0x0', '0x5'])
  })

  it('stays in a stored chain that began with it', async () => {
    const database = new MemoryLevel({ storeEncoding: 'view' })
    const first = await startChain({ database })
    const { block } = await first.seal()
    await first.finish()
    const again = await startChain({ database })
    expect(await headOf(again)).toEqual(block)
    expect(await accountOf(again, PROXY)).toEqual([CREATE2_PROXY.code, '0x1', '0x0'])
  })
})
