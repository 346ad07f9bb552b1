/** web3.js behind the story's interface. */
import { decodeErrorResult } from 'viem'
import { onTestFinished } from 'vitest'
import { type ContractAbi, Web3, type TransactionReceipt as Web3Receipt, WebSocketProvider } from 'web3'
import type { BlockTag, Hash, Hex } from '../../src/index.ts'
import { Token } from '../contracts/artifacts.ts'
import type { ConnectClient, StoryReceipt } from './storyClients.ts'

/** web3.js does not accept viem's type, whose unnamed parameters have no `name`; so it does not infer the events. */
const TOKEN_ABI = Token.abi as readonly object[] as ContractAbi

/** web3.js, with its own provider for the place. */
export const connectWeb3: ConnectClient = async (place, { privateKey }) => {
  const socket =
    typeof place === 'string' && place.startsWith('ws')
      ? new WebSocketProvider(place, {}, { autoReconnect: false })
      : undefined
  const web3 = new Web3(socket ?? (place as never))
  const { eth } = web3
  const { address } = eth.accounts.wallet.add(privateKey).get(0)!
  web3.setConfig({
    transactionConfirmationBlocks: 1,
    transactionConfirmationPollingInterval: 10,
    transactionPollingInterval: 10,
    transactionReceiptPollingInterval: 10,
  })
  // The default of nonces, estimates and calls.
  web3.defaultBlock = 'pending'
  const contractAt = (token: Hex) => new eth.Contract(TOKEN_ABI, token, web3)
  const toReceipt = (receipt: Web3Receipt): StoryReceipt => ({
    hash: receipt.transactionHash as string,
    success: receipt.status === 1n,
    block: BigInt(receipt.blockNumber),
    gasUsed: BigInt(receipt.gasUsed),
    contract: receipt.contractAddress?.toLowerCase() ?? null,
    logs: receipt.logs.length,
  })
  const receipts = new Map<Hash, Promise<StoryReceipt>>()
  onTestFinished(async () => {
    // web3.js polls for receipts until they are found; its open requests are answered before this one.
    await Promise.allSettled(receipts.values())
    await eth.getChainId()
    await web3.subscriptionManager.clear()
    socket?.disconnect()
  })
  /** Resolves to the hash as soon as it is known, and stores the receipt to come. */
  const hashOf = (sending: Sending) =>
    new Promise<Hash>((resolve, reject) => {
      sending.on('transactionHash', (hash) => {
        const receipt = new Promise<StoryReceipt>((found, missing) => {
          sending.on('receipt', (value) => found(toReceipt(value)))
          sending.catch(missing)
        })
        receipt.catch(() => {})
        receipts.set(hash, receipt)
        resolve(hash)
      })
      sending.catch(reject)
    })
  /** web3.js has no nonce manager: each transaction is sent after the previous one. */
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (send: () => Sending): Promise<Hash> => {
    const sent = last.then(() => hashOf(send()))
    last = sent.catch(() => {})
    return sent
  }
  return {
    chainId: async () => Number(await eth.getChainId()),
    balance: (of, at) => eth.getBalance(of, at),
    nonce: async (at) => Number(await eth.getTransactionCount(address, at)),
    async fees() {
      const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = await eth.calculateFeeData()
      return [gasPrice, maxFeePerGas, maxPriorityFeePerGas].map((fee) => BigInt(fee!))
    },
    block: (at) =>
      eth.getBlock(at).then(
        (found) => found?.transactions as string[] | undefined,
        () => undefined,
      ),
    transfer: ({ to, value, nonce }) =>
      inTurn(
        () =>
          eth.sendTransaction({ from: address, to, value, ...(nonce !== undefined && { nonce }) }) as never,
      ),
    deployToken: () =>
      inTurn(
        () =>
          new eth.Contract(TOKEN_ABI, web3).deploy({ data: Token.bytecode }).send({ from: address }) as never,
      ),
    transferToken: (token, to, amount, gas) =>
      inTurn(
        () =>
          contractAt(token).methods['transfer']!(to, amount).send({
            from: address,
            ...(gas && { gas: `${gas}` }),
          }) as never,
      ),
    tokenBalance: (token, of, at) =>
      contractAt(token).methods['balanceOf']!(of).call({}, at) as Promise<bigint>,
    async tokenTransfers(token, toBlock: BlockTag) {
      const event = 'Transfer' as 'allEvents'
      const found = await contractAt(token).getPastEvents(event, { fromBlock: 0, toBlock })
      return found.map((log) => (log as unknown as { returnValues: { value: bigint } }).returnValues.value)
    },
    receipt: async (hash) => toReceipt((await eth.getTransactionReceipt(hash)) as Web3Receipt),
    wait: (hash) => receipts.get(hash)!,
    async watchBlocks(onBlock) {
      const subscription = await eth.subscribe('newBlockHeaders')
      subscription.on('data', ({ number }) => onBlock(BigInt(number!)))
      return () => subscription.unsubscribe()
    },
    async watchToken(token, onTransfer) {
      const events = contractAt(token).events['Transfer']!()
      events.on('data', (log) =>
        onTransfer((log as unknown as { returnValues: { value: bigint } }).returnValues.value),
      )
      return () => {}
    },
    reasonOf(error) {
      const { cause, innerError = cause, message, reason } = error as Web3Error
      const data = innerError?.data
      if (data !== undefined) return `revert ${decodeErrorResult({ abi: Token.abi, data }).errorName}`
      const text = `${message} ${reason} ${innerError?.message}`
      return /insufficient funds/.test(text) ? 'funds' : /nonce too low/.test(text) ? 'nonce' : text
    },
  }
}

/** Where web3.js has the error that it received. */
interface Web3Error extends Error {
  readonly reason?: string
  readonly cause?: { readonly message: string; readonly data?: Hex }
  readonly innerError?: { readonly message: string; readonly data?: Hex }
}

/** What web3.js returns for a transaction that it sends. */
interface Sending extends Promise<unknown> {
  on(event: 'transactionHash', listener: (hash: Hash) => void): unknown
  on(event: 'receipt', listener: (receipt: Web3Receipt) => void): unknown
}
