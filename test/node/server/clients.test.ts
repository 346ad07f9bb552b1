/** Stock clients over the server, as in process: both views, by HTTP and by WebSocket. */
import { Contract, ContractFactory, JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers'
import {
  type BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  getAddress,
  http,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Token } from '../../contracts/artifacts.ts'
import { startServer } from './support.ts'

const VIEWS = ['standard', 'preconf'] as const
const TRANSPORTS = ['HTTP', 'WebSocket'] as const
const CASES = VIEWS.flatMap((view) => TRANSPORTS.map((transport) => [view, transport] as const))

type View = (typeof VIEWS)[number]
type Transport = (typeof TRANSPORTS)[number]

/** A served chain, the address of one view, and the step after which that view shows what was sent. */
async function start(view: View, transport: Transport) {
  const { chain, server } = await startServer()
  const url = view === 'standard' ? server.url : server.preconfUrl
  return {
    chain,
    url: transport === 'HTTP' ? url : url.replace('http', 'ws'),
    to: getAddress(chain.accounts[1]!.address),
    show: async () => void (view === 'preconf' ? await chain.tick() : await chain.seal()),
    blockTag: view === 'preconf' ? ('pending' as const) : ('latest' as const),
  }
}

/** Values as they come, to be awaited one after the other. */
function queue<T>() {
  const values: T[] = []
  const waiting: ((value: T) => void)[] = []
  return {
    push(value: T) {
      const take = waiting.shift()
      if (take === undefined) values.push(value)
      else take(value)
    },
    next: () =>
      new Promise<T>((resolve) => {
        if (values.length > 0) resolve(values.shift()!)
        else waiting.push(resolve)
      }),
  }
}

describe.each(CASES)('viem on %s by %s', (view, transport) => {
  async function startViem() {
    const setup = await start(view, transport)
    const { chain, url } = setup
    const viaSocket = webSocket(url, { keepAlive: false, reconnect: false })
    const options = {
      chain: foundry,
      transport: transport === 'HTTP' ? http(url, { batch: true }) : viaSocket,
      pollingInterval: 10,
      cacheTime: 0,
    } as const
    const account = privateKeyToAccount(chain.accounts[0]!.privateKey)
    const client = createPublicClient(options)
    if (transport === 'WebSocket') {
      const socket = client.transport as unknown as { getRpcClient(): Promise<{ close(): void }> }
      const rpc = await socket.getRpcClient()
      onTestFinished(() => rpc.close())
    }
    return { ...setup, client, wallet: createWalletClient({ ...options, account }) }
  }

  it('deploys a contract, writes to it, and reads it', async () => {
    const { chain, client, wallet, to, show, blockTag } = await startViem()
    const deployment = await wallet.deployContract({ abi: Token.abi, bytecode: Token.bytecode })
    await chain.seal()
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployment })
    const token = { abi: Token.abi, address: contractAddress! } as const
    const hash = await wallet.writeContract({ ...token, functionName: 'transfer', args: [to, 7n] })
    await show()
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', to: token.address })
    const [balance, symbol] = await Promise.all([
      client.readContract({ ...token, functionName: 'balanceOf', args: [to], blockTag }),
      client.readContract({ ...token, functionName: 'symbol', blockTag }),
    ])
    expect({ balance, symbol }).toEqual({ balance: 7n, symbol: 'TEST' })
  })

  it('decodes a revert', async () => {
    const { chain, client, wallet, to } = await startViem()
    const hash = await wallet.deployContract({ abi: Token.abi, bytecode: Token.bytecode })
    await chain.seal()
    const { contractAddress } = await client.waitForTransactionReceipt({ hash })
    const transfer = {
      abi: Token.abi,
      address: contractAddress!,
      functionName: 'transfer',
      args: [to, 9n],
    } as const
    const error = await client
      .simulateContract({ ...transfer, account: to })
      .catch((thrown: BaseError) => thrown)
    const cause = (error as BaseError).walk((at) => at instanceof ContractFunctionRevertedError)
    expect((cause as ContractFunctionRevertedError).data).toMatchObject({
      errorName: 'InsufficientBalance',
      args: [to, 0n, 9n],
    })
  })

  it('watches blocks and events', async () => {
    const { chain, client, wallet, to } = await startViem()
    const hash = await wallet.deployContract({ abi: Token.abi, bytecode: Token.bytecode })
    await chain.seal()
    const { contractAddress: address } = await client.waitForTransactionReceipt({ hash })
    const blocks = queue<bigint | null>()
    const events = queue<unknown>()
    const started = await client.getBlockNumber()
    onTestFinished(
      client.watchBlocks({
        onBlock: ({ number }) => blocks.push(number),
        onError: (error) => blocks.push(error as never),
        emitOnBegin: true,
      }),
    )
    onTestFinished(
      client.watchContractEvent({
        abi: Token.abi,
        address: address!,
        eventName: 'Transfer',
        onLogs: (logs) => logs.map(({ args }) => events.push(args)),
      }),
    )
    expect(await blocks.next()).toBe(started)
    // What watches events was asked for before this, and before the several requests that a write takes.
    await client.getChainId()
    const token = { abi: Token.abi, address: address! } as const
    await wallet.writeContract({ ...token, functionName: 'transfer', args: [to, 5n], gas: 100_000n })
    await chain.seal()
    expect(await blocks.next()).toBe(started + 1n)
    expect(await events.next()).toEqual({ from: wallet.account.address, to, value: 5n })
  })
})

describe.each(CASES)('ethers on %s by %s', (view, transport) => {
  async function startEthers() {
    const setup = await start(view, transport)
    const options = { cacheTimeout: -1, pollingInterval: 5 }
    const provider =
      transport === 'HTTP'
        ? new JsonRpcProvider(setup.url, undefined, options)
        : new WebSocketProvider(setup.url, undefined, options)
    onTestFinished(async () => void (await provider.destroy()))
    return { ...setup, provider, signer: new Wallet(setup.chain.accounts[0]!.privateKey, provider) }
  }

  it('deploys a contract, writes to it, reads it, and listens to it', async () => {
    const { chain, provider, signer, to, show, blockTag } = await startEthers()
    const deployed = await new ContractFactory(Token.abi as never, Token.bytecode, signer).deploy()
    await chain.seal()
    await deployed.waitForDeployment()
    const token = new Contract(await deployed.getAddress(), Token.abi as never, signer)
    const sent = await token.getFunction('transfer')(to, 7n)
    await show()
    expect(await sent.wait(0)).toMatchObject({ status: 1, hash: sent.hash })
    expect(await token.getFunction('balanceOf')(to, { blockTag })).toBe(7n)
    const blocks = queue<number>()
    await provider.on('block', (number: number) => blocks.push(number))
    // The listener is on once this is answered.
    const before = await provider.getBlockNumber()
    await chain.seal()
    expect(await blocks.next()).toBe(before + 1)
  })
})
