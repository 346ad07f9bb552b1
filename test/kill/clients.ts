/** Clients of every kind, each connected, with listeners and requests under way. */
import { createConfig, getBlockNumber, watchBlockNumber } from '@wagmi/core'
import { type AbstractProvider, JsonRpcProvider, Wallet, WebSocketProvider } from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  custom,
  http,
  type PublicClient,
  type Transport,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { WebSocket } from 'ws'
import type { PresealChain } from '../../src/index.ts'
import { PresealProvider } from '../../src/kits/ethers/index.ts'
import { chainTransport, preconfActions } from '../../src/kits/viem/index.ts'
import type { RemoteChain } from '../../src/kits/worker/index.ts'

/** A client under test. */
export interface Client {
  /** Resolves once it has received a block. */
  readonly listening: Promise<unknown>
  /** Begins calls that wait for an answer, for blocks, or for nothing; the test catches their promises. */
  act(): readonly Promise<unknown>[]
  /** Closes it, as an app does once the chain has disconnected. */
  end(): unknown
}

/** The address of a chain, and its accounts. */
export interface Place {
  readonly url: string
  readonly accounts: PresealChain['accounts']
}

/** Clients of a served chain. */
export function connectServed({ url, accounts }: Place): readonly Client[] {
  const ws = url.replace('http', 'ws')
  const socket = { reconnect: false, keepAlive: false, retryCount: 0 } as const
  return [
    ofEthers(new JsonRpcProvider(url, foundry.id, { staticNetwork: true, pollingInterval: 10 }), accounts, 0),
    ofEthers(new WebSocketProvider(ws, foundry.id, { staticNetwork: true }), accounts, 1),
    ofViem(http(url, { retryCount: 0 }), accounts, 2),
    ofViem(webSocket(ws, socket), accounts, 3),
    ofWagmi(http(url, { retryCount: 0 })),
    ofWagmi(webSocket(ws, socket)),
    ofWs(ws),
  ]
}

/** Clients of a chain in a worker. */
export function connectRemote(remote: RemoteChain): readonly Client[] {
  const { accounts } = remote
  return [
    ofEthers(new PresealProvider(remote), accounts, 0),
    ofEthers(new PresealProvider(remote, { view: 'standard' }), accounts, 1),
    ofViem(chainTransport(remote), accounts, 2),
    ofViem(chainTransport(remote, { view: 'standard' }), accounts, 3),
    ofViem(custom(remote.preconf, { retryCount: 0 }), accounts, 4),
    ofWagmi(custom(remote.standard, { retryCount: 0 })),
  ]
}

function ofEthers(provider: AbstractProvider, accounts: PresealChain['accounts'], index: number): Client {
  const signer = new Wallet(accounts[index]!.privateKey, provider)
  const forget = () => {}
  const listening = new Promise<void>((resolve) => {
    void provider.on('block', forget)
    void provider.on('block', () => resolve())
  })
  return {
    listening,
    act: () => {
      const sent = signer.sendTransaction({ to: signer.address, value: 1n })
      return [
        sent.then((transaction) => transaction.wait(3)),
        sent.then(({ hash }) => provider.waitForTransaction(hash, 3)),
        provider.getBlock('latest'),
        provider.on('pending', forget),
        provider.on({ topics: [] }, forget),
        provider.off('block', forget),
      ]
    },
    end: () => provider.destroy(),
  }
}

function ofViem(transport: Transport, accounts: PresealChain['accounts'], index: number): Client {
  const options = { chain: foundry, transport, pollingInterval: 10, cacheTime: 0 }
  const client = createPublicClient(options)
  const wallet = createWalletClient({ ...options, account: privateKeyToAccount(accounts[index]!.privateKey) })
  const ends: (() => void)[] = []
  const listening = new Promise<void>((resolve) => {
    ends.push(client.watchBlocks({ onBlock: () => resolve(), onError: () => {} }))
    ends.push(client.watchBlockNumber({ onBlockNumber: () => {}, onError: () => {} }))
  })
  const pushed = client.transport.type === 'webSocket' ? client.extend(preconfActions()) : undefined
  return {
    listening,
    act: () => {
      const sent = wallet.sendTransaction({ to: wallet.account.address, value: 1n })
      ends.push(client.watchEvent({ onLogs: () => {}, onError: () => {} }))
      // A watcher that is removed while it subscribes, and one that is removed afterwards.
      client.watchPendingTransactions({ onTransactions: () => {}, onError: () => {} })()
      ends.pop()!()
      if (pushed !== undefined) {
        ends.push(pushed.watchPreconfBlocks({ onPreconfBlock: () => {}, onError: () => {} }))
        pushed.watchPendingLogs({ onLogs: () => {}, onError: () => {} })()
      }
      return [
        sent.then((hash) => client.waitForTransactionReceipt({ hash, confirmations: 3, timeout: 100 })),
        sent.then((hash) => pushed?.waitForPreconfirmation({ hash, timeout: 100 })),
        client.getBlock(),
      ]
    },
    async end() {
      for (const end of ends) end()
      const { getRpcClient } = (client as PublicClient).transport as {
        getRpcClient?: () => Promise<{ close(): void }>
      }
      ;(await getRpcClient?.())?.close()
    },
  }
}

function ofWagmi(transport: Transport): Client {
  const config = createConfig({
    chains: [foundry],
    transports: { [foundry.id]: transport },
    pollingInterval: 10,
    multiInjectedProviderDiscovery: false,
    storage: null,
  })
  let end = () => {}
  const listening = new Promise<void>((resolve) => {
    end = watchBlockNumber(config, { onBlockNumber: () => resolve(), onError: () => {} })
  })
  return { listening, act: () => [getBlockNumber(config)], end: () => end() }
}

function ofWs(url: string): Client {
  const socket = new WebSocket(url)
  const send = (method: string, ...params: unknown[]) => {
    if (socket.readyState === 1) socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  }
  // `ws` throws errors without a listener.
  socket.on('error', () => {})
  socket.on('open', () => send('eth_subscribe', 'newHeads'))
  const listening = new Promise((resolve) => socket.on('message', resolve))
  return {
    listening,
    act() {
      for (let i = 0; i < 10; i++) send('eth_subscribe', 'newHeads')
      return []
    },
    end: () => socket.terminate(),
  }
}
