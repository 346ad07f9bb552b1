/** The requests of documents. A wallet answers some, asks its user about some, and sends the rest to the chain. */

import type { Frame } from '@playwright/test'
import { quantity as toQuantity } from '../../base/bytes.ts'
import { InvalidParamsError } from '../../base/errors.ts'
import { isHexOf } from '../../base/options/optionSchemas.ts'
import { isObject, object } from '../../base/schema.ts'
import type { Address, MaybePromise } from '../../base/types.ts'
import { type PresealChain, VIEWS } from '../../chain/handle.ts'
import { UnknownAccountError } from '../../core/accounts/errors.ts'
import { InvalidRequestError } from '../../rpc/errors.ts'
import { parseParams, quantity } from '../../rpc/params/params.ts'
import { addedChain, permissionRequest } from '../../rpc/params/wallet.ts'
import type { Provider, ProviderEvents } from '../../rpc/provider.ts'
import { UnrecognizedChainError } from '../../rpc/wallet/errors.ts'
import type { Requester } from '../server/index.ts'
import { ChainNotServedError, NotConnectedError, NoWalletAccountError } from './errors.ts'
import { isOfNodesOrWallets, offer } from './offered.ts'
import type { Prompts } from './prompts.ts'
import { LAST_ANSWER, OPAQUE_ORIGIN, type PollAnswer, type WalletEvent, type WalletView } from './protocol.ts'

interface Connection {
  readonly provider: Provider
  /** The provider, limited to the methods that pages may use. */
  readonly requester: Requester
  readonly calls: Set<Promise<unknown>>
  readonly onMessage: ProviderEvents['message']
}

/** The link to one document. Owns: its connections to chains with their subscriptions, and its events until a poll. */
export class DocumentLink {
  readonly id: string
  readonly frame: Frame
  readonly origin: string
  /** The open prompt to connect. */
  connecting: Promise<readonly Address[]> | undefined
  readonly #cheats: boolean
  readonly #connections = new Map<WalletView, Connection>()
  /** Providers of chains selected earlier that still have calls under way. */
  readonly #retired = new Set<Provider>()
  #events: WalletEvent[] = []
  #answerPoll: ((answer: PollAnswer) => void) | undefined
  #ended = false

  constructor(id: string, frame: Frame, origin: string, cheats: boolean) {
    this.id = id
    this.frame = frame
    this.origin = origin
    this.#cheats = cheats
  }

  /** Sends a request. @throws MethodNotOfferedError, PageForkUrlError, and the errors of the provider */
  async request(chain: PresealChain, view: WalletView, args: object): Promise<unknown> {
    const { requester, calls } = this.#connect(chain, view)
    const call = requester.request(args as { readonly method: string })
    calls.add(call)
    try {
      return await call
    } finally {
      calls.delete(call)
    }
  }

  push(event: WalletEvent): void {
    if (this.#ended) return
    this.#events.push(event)
    this.#flush()
  }

  /** Resolves to the events since the last poll, when there are any. */
  poll(): Promise<PollAnswer> {
    if (this.#ended) return Promise.resolve(LAST_ANSWER)
    // A document's second poll replaces the first.
    this.#answerPoll?.({ events: [], isLast: false })
    return new Promise((resolve) => {
      this.#answerPoll = resolve
      this.#flush()
    })
  }

  /** Ends the subscriptions. Calls under way are still answered, and later requests use new connections. */
  retire(): void {
    for (const { provider, calls, onMessage } of this.#connections.values()) {
      provider.removeListener('message', onMessage)
      const close = (): void => {
        this.#retired.delete(provider)
        provider.close()
      }
      this.#retired.add(provider)
      if (calls.size === 0) close()
      else void Promise.allSettled(calls).then(close)
    }
    this.#connections.clear()
  }

  /** Closes the connections and answers the open poll with the last events. Calls under way reject with code 4900. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    for (const provider of this.#retired) provider.close()
    for (const { provider } of this.#connections.values()) provider.close()
    this.#connections.clear()
    this.#answerPoll?.({ ...LAST_ANSWER, events: [...this.#events, ...LAST_ANSWER.events] })
    this.#answerPoll = undefined
  }

  #connect(chain: PresealChain, view: WalletView): Connection {
    const existing = this.#connections.get(view)
    if (existing !== undefined) return existing
    const provider = chain.provider(...VIEWS[view])
    const onMessage: ProviderEvents['message'] = (value) => this.push({ event: 'message', view, value })
    const requester = offer(provider, isOfNodesOrWallets, { cheats: this.#cheats })
    const connection: Connection = { provider, requester, calls: new Set(), onMessage }
    provider.on('message', onMessage)
    this.#connections.set(view, connection)
    if (this.#ended) provider.close()
    return connection
  }

  #flush(): void {
    if (this.#answerPoll === undefined || this.#events.length === 0) return
    this.#answerPoll({ events: this.#events, isLast: false })
    this.#answerPoll = undefined
    this.#events = []
  }
}

interface WalletRequest {
  readonly state: WalletState
  readonly prompts: Prompts
  readonly link: DocumentLink
  readonly view: WalletView
  readonly method: string
  readonly params: unknown
}

/** Where the parameters of a method have the account: at an index, or in the field `from` of the first parameter. */
const ACCOUNTS: Readonly<Record<string, number | 'from'>> = {
  eth_sendTransaction: 'from',
  eth_sendTransactionSync: 'from',
  eth_sign: 0,
  eth_signTransaction: 'from',
  eth_signTypedData_v4: 0,
  personal_sign: 1,
  wallet_sendCalls: 'from',
}

/** Methods whose signatures depend on no state, so that they need no node. */
const WITHOUT_NODE: readonly string[] = ['eth_sign', 'eth_signTypedData_v4', 'personal_sign']

/** @throws PresealRpcError */
export async function answerRequest(
  args: unknown,
  request: Omit<WalletRequest, 'method' | 'params'>,
): Promise<unknown> {
  if (!isObject(args)) throw new InvalidRequestError('an object with a method')
  const { method, params } = args
  if (typeof method !== 'string') throw new InvalidRequestError('a string as method')
  const answer = Object.hasOwn(ANSWERS, method) ? ANSWERS[method]! : forward
  return answer({ ...request, method, params })
}

const ANSWERS: Readonly<Record<string, (request: WalletRequest) => MaybePromise<unknown>>> = {
  eth_accounts: ({ state, link, params }) => {
    parseParams(params, [])
    return state.accountsOf(link)
  },
  eth_requestAccounts: (request) => {
    const { state, link, params } = request
    parseParams(params, [])
    const accounts = state.accountsOf(link)
    return accounts.length > 0 ? accounts : connectOnce(request)
  },
  wallet_requestPermissions: async (request) => {
    parseParams(request.params, [permissionRequest])
    await connect(request)
    return permissionsOf(request)
  },
  wallet_getPermissions: (request) => {
    parseParams(request.params, [])
    return permissionsOf(request)
  },
  wallet_revokePermissions: ({ state, link, params }) => {
    parseParams(params, [permissionRequest])
    state.permit(link, [])
    return null
  },
  wallet_switchEthereumChain: (request) => {
    const [{ chainId }] = parseParams(request.params, [object({ chainId: quantity })])
    if (!request.state.has(Number(chainId))) throw new UnrecognizedChainError(chainId)
    return selectChain(request, Number(chainId))
  },
  wallet_addEthereumChain: (request) => {
    const [{ chainId }] = parseParams(request.params, [addedChain])
    if (!Number.isSafeInteger(Number(chainId)) || chainId < 1n)
      throw new InvalidParamsError('0.chainId', 'a chain id from 1 to 2^53 - 1')
    return selectChain(request, Number(chainId))
  },
  wallet_watchAsset: (request) => ask(request, () => forward(request)),
  wallet_getCapabilities: (request) => {
    const [account] = Array.isArray(request.params) ? request.params : []
    if (isHexOf(account, 20)) checkPermitted(request, account)
    return forward(request)
  },
  eth_chainId: (request) =>
    request.state.node === undefined ? toQuantity(BigInt(request.state.chainId)) : forward(request),
  net_version: (request) =>
    request.state.node === undefined ? `${request.state.chainId}` : forward(request),
  ...Object.fromEntries(Object.keys(ACCOUNTS).map((method) => [method, askForAccount])),
}

/** Sends a request to the selected chain. @throws ChainNotServedError if it has no node */
function forward(request: WalletRequest): Promise<unknown> {
  const { link, view, method, params } = request
  return link.request(nodeFor(request), view, params === undefined ? { method } : { method, params })
}

function nodeFor({ state, method }: WalletRequest): PresealChain {
  const node = state.node ?? (WITHOUT_NODE.includes(method) ? state.chain : undefined)
  if (node === undefined) throw new ChainNotServedError(state.chainId)
  return node
}

function ask<T>(
  { prompts, link, method, params }: WalletRequest,
  carryOut: (accounts: readonly Address[] | undefined) => MaybePromise<T>,
): Promise<T> {
  const { frame, origin } = link
  return prompts.ask({ method, params, origin, frame }, carryOut)
}

/** Asks which accounts the origin may use, and permits them. @throws NoWalletAccountError, the errors of `Prompts.ask` */
function connect(request: WalletRequest): Promise<readonly Address[]> {
  const { state, link } = request
  return ask(request, (chosen) => {
    const { account } = state
    const accounts = chosen ?? (account === undefined ? [] : [account])
    if (accounts.length === 0) throw new NoWalletAccountError()
    state.permit(link, accounts)
    return state.accountsOf(link)
  })
}

/** Shares an open prompt to connect: React runs effects twice in development, so an app may ask twice. */
function connectOnce(request: WalletRequest): Promise<readonly Address[]> {
  const { link } = request
  link.connecting ??= connect(request).finally(() => {
    link.connecting = undefined
  })
  return link.connecting
}

/** Returns the permission of the origin, in the format of EIP-2255. */
function permissionsOf({ state, link }: WalletRequest): readonly object[] {
  const value = state.accountsOf(link)
  if (value.length === 0) return []
  const caveats = [{ type: 'restrictReturnedAccounts', value }]
  return [{ invoker: link.origin, parentCapability: 'eth_accounts', caveats }]
}

async function selectChain(request: WalletRequest, chainId: number): Promise<null> {
  const { state } = request
  if (chainId !== state.chainId) await ask(request, () => state.selectChain(chainId))
  return null
}

/**
 * Asks about a request that acts for an account. Forwards malformed parameters without asking: the chain refuses them.
 *
 * @throws ChainNotServedError, NotConnectedError, UnknownAccountError, and the errors of `Prompts.ask`
 */
function askForAccount(request: WalletRequest): Promise<unknown> {
  const { params, state, link, method } = request
  const place = ACCOUNTS[method]!
  nodeFor(request)
  if (!Array.isArray(params)) return forward(request)
  if (place !== 'from') {
    const account: unknown = params[place]
    if (!isHexOf(account, 20)) return forward(request)
    checkPermitted(request, account)
    return ask(request, () => forward(request))
  }
  const [first, ...rest]: readonly unknown[] = params
  if (!isObject(first)) return forward(request)
  const from = first['from'] ?? state.accountsOf(link)[0]
  if (from === undefined) throw new NotConnectedError()
  if (!isHexOf(from, 20)) return forward(request)
  checkPermitted(request, from)
  const complete = { ...request, params: [{ ...first, from }, ...rest] }
  return ask(complete, () => forward(complete))
}

function checkPermitted({ state, link }: WalletRequest, account: Address): void {
  const address = account.toLowerCase() as Address
  const accounts = state.accountsOf(link)
  if (accounts.length === 0) throw new NotConnectedError()
  if (!accounts.includes(address)) throw new UnknownAccountError(address)
}

/**
 * The state of a browser context's wallet. Owns: the selected account, the permitted accounts of origins, the ids of
 * added chains and the selected chain. Does not own the chains and the links.
 */
export class WalletState {
  readonly chain: PresealChain
  readonly #links: ReadonlyMap<Frame, DocumentLink>
  readonly #watching = new Map<PresealChain, Provider>()
  /** The ids of added chains without a node. */
  readonly #withoutNode = new Set<number>()
  /** Permitted accounts by origin, or by document if its origin is opaque; the default is `#everyOrigin`. */
  readonly #permitted = new Map<string | DocumentLink, readonly Address[]>()
  #everyOrigin: readonly Address[] = []
  /** The selected account; undefined if the chain has none. */
  account: Address | undefined
  #selected: PresealChain | number

  /** @param links - the links to the documents, which receive changes as events */
  constructor(chain: PresealChain, account: Address | undefined, links: ReadonlyMap<Frame, DocumentLink>) {
    this.chain = chain
    this.#links = links
    this.account = account
    this.#selected = chain
    this.add(chain)
  }

  get chainId(): number {
    return typeof this.#selected === 'number' ? this.#selected : this.#selected.chainId
  }

  /** The selected chain; undefined if it has no node. */
  get node(): PresealChain | undefined {
    return typeof this.#selected === 'number' ? undefined : this.#selected
  }

  /** Returns the accounts that the origin of a document may use, the selected one first. */
  accountsOf(link: DocumentLink): readonly Address[] {
    const accounts = this.#permitted.get(originOf(link)) ?? this.#everyOrigin
    const selected = accounts.filter((one) => one === this.account)
    return [...selected, ...accounts.filter((one) => one !== this.account)]
  }

  /** Permits an origin, the origin of a document, or (if undefined) every origin to use exactly these accounts. */
  permit(of: string | DocumentLink | undefined, accounts: readonly Address[]): void {
    const origin = typeof of === 'object' ? originOf(of) : of
    this.#changeAccounts(() => {
      if (origin === undefined) {
        this.#permitted.clear()
        this.#everyOrigin = accounts
      } else this.#permitted.set(origin, accounts)
    })
  }

  /** Selects an account, and permits all connected origins to use it. */
  select(account: Address): void {
    const withAccount = (accounts: readonly Address[]) =>
      accounts.length === 0 || accounts.includes(account) ? accounts : [account, ...accounts]
    this.#changeAccounts(() => {
      this.account = account
      this.#everyOrigin = withAccount(this.#everyOrigin)
      for (const [origin, accounts] of this.#permitted) this.#permitted.set(origin, withAccount(accounts))
    })
  }

  /** Adds a chain, or the id of a chain without a node. */
  add(chain: PresealChain | number): void {
    if (typeof chain === 'number') this.#withoutNode.add(chain)
    if (typeof chain === 'number' || this.#watching.has(chain)) return
    const provider = chain.provider('preconf')
    provider.on('chainChanged', (chainId) => {
      if (this.#selected === chain) this.#tell(() => ({ event: 'chainChanged', value: chainId }))
    })
    this.#watching.set(chain, provider)
  }

  has(chainId: number): boolean {
    return this.#withoutNode.has(chainId) || this.#nodeOf(chainId) !== undefined
  }

  /** Selects a chain by its id; if it has no node, requests that need one fail. */
  selectChain(chainId: number): void {
    if (chainId === this.chainId) return
    const node = this.#nodeOf(chainId)
    if (node === undefined) this.add(chainId)
    this.#selected = node ?? chainId
    for (const link of this.#links.values()) link.retire()
    this.#tell(() => ({ event: 'chainChanged', value: toQuantity(BigInt(chainId)) }))
  }

  /** Forgets the permissions of a document that has ended. */
  forget(link: DocumentLink): void {
    this.#permitted.delete(link)
  }

  /** Closes the wallet's connections to the chains. */
  close(): void {
    for (const provider of this.#watching.values()) provider.close()
  }

  #nodeOf(chainId: number): PresealChain | undefined {
    return [...this.#watching.keys()].find((chain) => chain.chainId === chainId)
  }

  #changeAccounts(change: () => void): void {
    const before = new Map([...this.#links.values()].map((link) => [link, this.accountsOf(link)]))
    change()
    this.#tell((link) => {
      const accounts = this.accountsOf(link)
      const isSame = accounts.join() === before.get(link)?.join()
      return isSame ? undefined : { event: 'accountsChanged', value: accounts }
    })
  }

  #tell(eventFor: (link: DocumentLink) => WalletEvent | undefined): void {
    for (const link of this.#links.values()) {
      const event = eventFor(link)
      if (event !== undefined) link.push(event)
    }
  }
}

/** Returns the key of a document's permissions. Documents with an opaque origin do not share permissions. */
function originOf(link: DocumentLink): string | DocumentLink {
  return link.origin === OPAQUE_ORIGIN ? link : link.origin
}
