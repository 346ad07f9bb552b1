/** viem on one view of a chain, over a transport that pushes and records requests. */
import { createClient, publicActions, type Transport, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { onTestFinished, vi } from 'vitest'
import { turnUntilIdle } from '../../../src/base/waiting.ts'
import type { ChainOptions, Hash, PresealChain, Provider, ViewKind } from '../../../src/index.ts'
import { chainTransport, type PushProvider, preconfActions, preseal } from '../../../src/kits/viem/index.ts'
import { wiretap } from '../../clients/wiretap.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'

/** A transport of viem's that holds a connection. */
interface Socket {
  getRpcClient(): Promise<{ close(): void }>
}

/** A provider whose requests are recorded and whose events are passed on. */
export function tapped(provider: Provider) {
  const tap = wiretap(provider)
  const push: PushProvider = {
    request: tap.request,
    on: (event, listener) => provider.on(event, listener as () => void),
    removeListener: (event, listener) => provider.removeListener(event, listener as () => void),
  }
  return { tap, push }
}

/** A chain, and a client of the first account with public, wallet and preconf actions. */
export async function start(view: ViewKind = 'preconf', options: ChainOptions = {}) {
  const chain = await startChain(options)
  const preconf = view === 'preconf'
  const provider = chain.provider(view, preconf ? { defaultBlock: 'pending', pendingNonce: 'pool' } : {})
  const { tap, push } = tapped(provider)
  const { experimental_preconfirmationTime: _, ...sealing } = preseal
  const client = createClient({
    account: privateKeyToAccount(chain.accounts[0]!.privateKey),
    chain: preconf ? preseal : (sealing as typeof preseal),
    transport: chainTransport(push, { clock: chain.clock }),
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions)
    .extend(preconfActions())
  const to = chain.accounts[1]!.address
  return { chain, client, provider, tap, to }
}

/** A client of the first account over viem's own transport to a node of the chain, with what tests of following do. */
export function clientOf(chain: PresealChain, transport: Transport) {
  const client = createClient({
    account: privateKeyToAccount(chain.accounts[0]!.privateKey),
    chain: preseal,
    transport,
  })
    .extend(publicActions)
    .extend(walletActions)
    .extend(preconfActions())
  onTestFinished(async () => {
    const socket = await (client.transport as unknown as Socket).getRpcClient()
    socket.close()
  })
  return {
    client,
    send: (nonce: number, fee = 10n ** 10n) =>
      client.sendTransaction({
        to: chain.accounts[1]!.address,
        value: 1n,
        nonce,
        gas: 21_000n,
        maxFeePerGas: fee,
        maxPriorityFeePerGas: fee,
      }),
    /** The stages that a watcher reports; resolves after the first. */
    async watch(hash: Hash) {
      const stages: unknown[] = []
      client.watchTransactionStatus({
        hash,
        onStatus: ({ status, stage }) => stages.push(stage ?? status),
        onError: (error) => stages.push(error),
      })
      await vi.waitUntil(() => stages.length > 0)
      return stages
    },
  }
}

/** Deploys the token and seals it. */
export async function deployToken({ chain, client }: Awaited<ReturnType<typeof start>>) {
  const hash = await client.deployContract({ abi: Token.abi, bytecode: Token.bytecode })
  await chain.seal()
  const { contractAddress } = await client.getTransactionReceipt({ hash })
  return contractAddress!
}

/** Resolves once the requests in flight over a client's transport have been answered, held back or not. */
export const flush = (): Promise<void> => turnUntilIdle(100)

/** The value or the error of a promise, if it has one by now. */
export function progress<T>(promise: Promise<T>) {
  const now: { value?: T; error?: unknown } = {}
  promise.then(
    (value) => {
      now.value = value
    },
    (error) => {
      now.error = error
    },
  )
  return now
}
