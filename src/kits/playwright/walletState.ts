/**
 * What the wallet of one browser context holds.
 *
 * Owns: the selected account, which origins use which accounts, the chains and which of them is selected, and the links
 * to the documents, which are told what changes for them. Does not own the chains.
 */

import { quantity } from '../../base/bytes.ts'
import type { Address } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { Provider } from '../../rpc/provider.ts'
import type { DocumentLink } from './documentLink.ts'
import { OPAQUE_ORIGIN } from './protocol.ts'

/** See the file's header. */
export class WalletState {
  /** The chain of the test. */
  readonly chain: PresealChain
  readonly #links = new Set<DocumentLink>()
  readonly #watching = new Map<PresealChain, Provider>()
  /** The ids of chains without a node that the wallet has. */
  readonly #withoutNode = new Set<number>()
  /** The accounts of origins; one without an entry has those of {@link #everyOrigin}. An opaque origin is its document. */
  readonly #permitted = new Map<string | DocumentLink, readonly Address[]>()
  #everyOrigin: readonly Address[] = []
  #account: Address | undefined
  #selected: PresealChain | number

  constructor(chain: PresealChain, account: Address | undefined) {
    this.chain = chain
    this.#account = account
    this.#selected = chain
    this.add(chain)
  }

  /** The selected account; undefined if the chain has none. */
  get account(): Address | undefined {
    return this.#account
  }

  /** The id of the selected chain. */
  get chainId(): number {
    return typeof this.#selected === 'number' ? this.#selected : this.#selected.chainId
  }

  /** The selected chain; undefined if it has no node. */
  get node(): PresealChain | undefined {
    return typeof this.#selected === 'number' ? undefined : this.#selected
  }

  /** The accounts that the origin of a document uses, the selected one first. */
  accountsOf(link: DocumentLink): readonly Address[] {
    const accounts = this.#permitted.get(originOf(link)) ?? this.#everyOrigin
    const selected = accounts.filter((one) => one === this.#account)
    return [...selected, ...accounts.filter((one) => one !== this.#account)]
  }

  /** Lets an origin, that of a document, or every origin use just these accounts. */
  permit(of: string | DocumentLink | undefined, accounts: readonly Address[]): void {
    const origin = typeof of === 'object' ? originOf(of) : of
    this.#changeAccounts(() => {
      if (origin !== undefined) {
        this.#permitted.set(origin, accounts)
        return
      }
      this.#permitted.clear()
      this.#everyOrigin = accounts
    })
  }

  /** Selects an account; the origins that are connected may use it. */
  select(account: Address): void {
    const withAccount = (accounts: readonly Address[]) =>
      accounts.length === 0 || accounts.includes(account) ? accounts : [account, ...accounts]
    this.#changeAccounts(() => {
      this.#account = account
      this.#everyOrigin = withAccount(this.#everyOrigin)
      for (const [origin, accounts] of this.#permitted) this.#permitted.set(origin, withAccount(accounts))
    })
  }

  /** Adds a chain, or the id of one that has no node. */
  add(chain: PresealChain | number): void {
    if (typeof chain === 'number') {
      this.#withoutNode.add(chain)
      return
    }
    if (this.#watching.has(chain)) return
    const provider = chain.provider('preconf')
    provider.on('chainChanged', (chainId) => {
      if (this.#selected === chain) this.#tell(() => ({ event: 'chainChanged', value: chainId }))
    })
    this.#watching.set(chain, provider)
  }

  /** Whether the wallet has a chain with this id. */
  has(chainId: number): boolean {
    return this.#withoutNode.has(chainId) || this.#nodeOf(chainId) !== undefined
  }

  /** Selects the chain with this id; a page that sends requests gets an error if it has no node. */
  selectChain(chainId: number): void {
    if (chainId === this.chainId) return
    const node = this.#nodeOf(chainId)
    if (node === undefined) this.add(chainId)
    this.#selected = node ?? chainId
    for (const link of this.#links) link.retire()
    this.#tell(() => ({ event: 'chainChanged', value: quantity(BigInt(chainId)) }))
  }

  /** Adds the link to a new document. */
  attach(link: DocumentLink): void {
    this.#links.add(link)
    link.push({ event: 'connect', value: { chainId: quantity(BigInt(this.chainId)) } })
  }

  /** Removes the link to a document. */
  detach(link: DocumentLink): void {
    this.#links.delete(link)
    this.#permitted.delete(link)
  }

  /** Closes its own connections to the chains. */
  close(): void {
    for (const provider of this.#watching.values()) provider.close()
  }

  #nodeOf(chainId: number): PresealChain | undefined {
    return [...this.#watching.keys()].find((chain) => chain.chainId === chainId)
  }

  #changeAccounts(change: () => void): void {
    const before = new Map([...this.#links].map((link) => [link, this.accountsOf(link)]))
    change()
    this.#tell((link) => {
      const accounts = this.accountsOf(link)
      const isSame = accounts.join() === before.get(link)?.join()
      return isSame ? undefined : { event: 'accountsChanged', value: accounts }
    })
  }

  #tell(eventFor: (link: DocumentLink) => Parameters<DocumentLink['push']>[0] | undefined): void {
    for (const link of this.#links) {
      const event = eventFor(link)
      if (event !== undefined) link.push(event)
    }
  }
}

/** What the permission of a document depends on: documents of an opaque origin share it with no other. */
function originOf(link: DocumentLink): string | DocumentLink {
  return link.origin === OPAQUE_ORIGIN ? link : link.origin
}
