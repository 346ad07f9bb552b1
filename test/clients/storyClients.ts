/** Stock clients behind one interface of plain values, so that the story can run with each. */
import {
  BrowserProvider,
  Contract,
  ContractFactory,
  isError,
  JsonRpcProvider,
  NonceManager,
  Wallet,
  WebSocketProvider,
} from 'ethers'
import {
  type BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  createWalletClient,
  custom,
  http,
  InsufficientFundsError,
  NonceTooLowError,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { createNonceManager, jsonRpc } from 'viem/nonce'
import { onTestFinished } from 'vitest'
import type { BlockTag, DevAccount, Hash, Hex, Provider } from '../../src/index.ts'
import { Token } from '../contracts/artifacts.ts'

/** Where a client connects to: a provider of this process, or an address of `http:` or `ws:`. */
export type Place = Provider | string

/** The fields of a receipt that every client has. */
export interface StoryReceipt {
  readonly hash: string
  readonly success: boolean
  readonly block: bigint
  readonly gasUsed: bigint
  readonly contract: string | null
  readonly logs: number
}

/** What the story needs of a client that signs for one account. */
export interface StoryClient {
  chainId(): Promise<number>
  balance(of: Hex, at: BlockTag): Promise<bigint>
  nonce(at: BlockTag): Promise<number>
  /** The gas price, and the fee cap and tip that the client itself would pay. */
  fees(): Promise<readonly bigint[]>
  /** Hashes of a block's transactions; undefined if there is no such block. */
  block(at: bigint): Promise<readonly string[] | undefined>
  transfer(request: { to: Hex; value: bigint; nonce?: number }): Promise<Hash>
  deployToken(): Promise<Hash>
  transferToken(token: Hex, to: Hex, amount: bigint, gas?: bigint): Promise<Hash>
  tokenBalance(token: Hex, of: Hex, at: BlockTag): Promise<bigint>
  /** Amounts of a token's transfers, from the first block on. */
  tokenTransfers(token: Hex, to: BlockTag): Promise<readonly bigint[]>
  /** The receipt of an included transaction, without waiting. */
  receipt(hash: Hash): Promise<StoryReceipt>
  /** The receipt, after waiting for it by the means of the client. */
  wait(hash: Hash): Promise<StoryReceipt>
  /** Reports each new block's number; resolves to a function that ends it. */
  watchBlocks(onBlock: (number: bigint) => void): Promise<() => void | Promise<void>>
  /** Reports each transfer's amount; resolves to a function that ends it. */
  watchToken(token: Hex, onTransfer: (amount: bigint) => void): Promise<() => void | Promise<void>>
  /** Why something failed, by the client's own error classes or codes. */
  reasonOf(error: unknown): string
}

/** Connects a client that signs for an account, until the test ends. */
export type ConnectClient = (place: Place, account: DevAccount) => Promise<StoryClient>

/** viem, with its own transport for the place. */
export const connectViem: ConnectClient = async (place, { privateKey }) => {
  const transport =
    typeof place !== 'string'
      ? custom(place)
      : place.startsWith('ws')
        ? webSocket(place, { keepAlive: false, reconnect: false })
        : http(place, { batch: true })
  const options = { chain: foundry, transport, pollingInterval: 10, cacheTime: 0 } as const
  const account = privateKeyToAccount(privateKey, { nonceManager: createNonceManager({ source: jsonRpc() }) })
  const client = createPublicClient(options)
  const wallet = createWalletClient({ ...options, account })
  if (typeof place === 'string' && place.startsWith('ws')) {
    const socket = client.transport as unknown as { getRpcClient(): Promise<{ close(): void }> }
    const rpc = await socket.getRpcClient()
    onTestFinished(() => rpc.close())
  }
  const { abi, bytecode } = Token
  const toReceipt = (receipt: Awaited<ReturnType<typeof client.getTransactionReceipt>>): StoryReceipt => ({
    hash: receipt.transactionHash,
    success: receipt.status === 'success',
    block: receipt.blockNumber,
    gasUsed: receipt.gasUsed,
    contract: receipt.contractAddress ?? null,
    logs: receipt.logs.length,
  })
  return {
    chainId: () => client.getChainId(),
    balance: (address, blockTag) => client.getBalance({ address, blockTag }),
    nonce: (blockTag) => client.getTransactionCount({ address: account.address, blockTag }),
    async fees() {
      const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
      return [await client.getGasPrice(), maxFeePerGas, maxPriorityFeePerGas]
    },
    block: (blockNumber) =>
      client.getBlock({ blockNumber }).then(
        ({ transactions }) => transactions,
        () => undefined,
      ),
    transfer: (request) => wallet.sendTransaction(request),
    deployToken: () => wallet.deployContract({ abi, bytecode }),
    transferToken: (address, to, amount, gas) =>
      wallet.writeContract({ abi, address, functionName: 'transfer', args: [to, amount], gas }),
    tokenBalance: (address, of, blockTag) =>
      client.readContract({ abi, address, functionName: 'balanceOf', args: [of], blockTag }),
    async tokenTransfers(address, toBlock) {
      const found = await client.getContractEvents({
        abi,
        address,
        eventName: 'Transfer',
        fromBlock: 0n,
        toBlock,
      })
      return found.map(({ args }) => args.value!)
    },
    receipt: async (hash) => toReceipt(await client.getTransactionReceipt({ hash })),
    wait: async (hash) => toReceipt(await client.waitForTransactionReceipt({ hash })),
    watchBlocks: async (onBlock) => client.watchBlockNumber({ emitMissed: true, onBlockNumber: onBlock }),
    watchToken: async (address, onTransfer) =>
      client.watchContractEvent({
        abi,
        address,
        eventName: 'Transfer',
        onLogs: (logs) => {
          for (const { args } of logs) onTransfer(args.value!)
        },
      }),
    reasonOf(error) {
      const known = [InsufficientFundsError, NonceTooLowError, ContractFunctionRevertedError]
      const cause = (error as BaseError).walk((at) => known.some((kind) => at instanceof kind))
      if (cause instanceof ContractFunctionRevertedError) return `revert ${cause.data?.errorName}`
      return cause instanceof InsufficientFundsError
        ? 'funds'
        : cause instanceof NonceTooLowError
          ? 'nonce'
          : ''
    },
  }
}

/** ethers, with its own provider for the place. */
export const connectEthers: ConnectClient = async (place, { privateKey }) => {
  // ethers caches answers for 250 ms, which is longer than a preconf block lasts.
  const options = { cacheTimeout: -1, pollingInterval: 5 }
  const provider =
    typeof place !== 'string'
      ? new BrowserProvider(place, undefined, options)
      : place.startsWith('ws')
        ? new WebSocketProvider(place, undefined, options)
        : new JsonRpcProvider(place, undefined, options)
  onTestFinished(async () => void (await provider.destroy()))
  const wallet = new Wallet(privateKey, provider)
  const signer = new NonceManager(wallet)
  /** Without the reset, the nonce manager would skip the nonce of a failed send. */
  const resetting = async <T>(sent: Promise<T>): Promise<T> => {
    try {
      return await sent
    } catch (error) {
      signer.reset()
      throw error
    }
  }
  /** Waits for the requests that end a listener, which fail if the provider is destroyed before. */
  const flush = async () => void (await provider.send('eth_chainId', []))
  const contractAt = (address: Hex) => new Contract(address, Token.abi as never, signer)
  const toReceipt = (receipt: Awaited<ReturnType<typeof provider.getTransactionReceipt>>): StoryReceipt => ({
    hash: receipt!.hash,
    success: receipt!.status === 1,
    block: BigInt(receipt!.blockNumber),
    gasUsed: receipt!.gasUsed,
    contract: receipt!.contractAddress?.toLowerCase() ?? null,
    logs: receipt!.logs.length,
  })
  return {
    chainId: async () => Number((await provider.getNetwork()).chainId),
    balance: (of, at) => provider.getBalance(of, at),
    nonce: (at) => wallet.getNonce(at),
    async fees() {
      const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = await provider.getFeeData()
      return [gasPrice!, maxFeePerGas!, maxPriorityFeePerGas!]
    },
    block: async (at) => (await provider.getBlock(at))?.transactions,
    async transfer(request) {
      // The nonce manager would replace the nonce.
      const sender = request.nonce === undefined ? signer : wallet
      return (await resetting(sender.sendTransaction(request))).hash as Hash
    },
    async deployToken() {
      const deployed = await new ContractFactory(Token.abi as never, Token.bytecode, signer).deploy()
      return deployed.deploymentTransaction()!.hash as Hash
    },
    async transferToken(token, to, amount, gasLimit) {
      const overrides = gasLimit === undefined ? {} : { gasLimit }
      return (await resetting(contractAt(token).getFunction('transfer').send(to, amount, overrides)))
        .hash as Hash
    },
    tokenBalance: (token, of, blockTag) => contractAt(token).getFunction('balanceOf')(of, { blockTag }),
    async tokenTransfers(token, to) {
      const found = await contractAt(token).queryFilter('Transfer', 0, to)
      return found.map((log) => ('args' in log ? (log.args[2] as bigint) : -1n))
    },
    receipt: async (hash) => toReceipt(await provider.getTransactionReceipt(hash)),
    wait: async (hash) => toReceipt(await (await provider.getTransaction(hash))!.wait()),
    async watchBlocks(onBlock) {
      const listener = (number: number) => onBlock(BigInt(number))
      await provider.on('block', listener)
      return () => provider.off('block', listener).then(flush)
    },
    async watchToken(token, onTransfer) {
      const contract = contractAt(token)
      await contract.on('Transfer', (_from, _to, amount: bigint) => onTransfer(amount))
      return () => contract.removeAllListeners().then(flush)
    },
    reasonOf(error) {
      if (isError(error, 'CALL_EXCEPTION')) {
        const { data, revert } = error
        const { name } = revert ?? contractAt('0x').interface.parseError(data!)!
        return `revert ${name}`
      }
      return isError(error, 'INSUFFICIENT_FUNDS') ? 'funds' : isError(error, 'NONCE_EXPIRED') ? 'nonce' : ''
    },
  }
}
