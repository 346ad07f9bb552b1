/**
 * What a connection may use of the chain's accounts, as a wallet grants it to a page (EIP-2255).
 *
 * Owns: whether they are granted, which they are from the start. Does not own the accounts, nor their keys.
 */
import type { Address, RpcPermission } from '../types.ts'

/** See the file's header. */
export class Permissions {
  readonly #accounts: readonly Address[]
  readonly #onChange: (accounts: Address[]) => void
  #granted = true

  /** @param onChange - told the accounts there are to use, whenever that changes. */
  constructor(accounts: readonly Address[], onChange: (accounts: Address[]) => void) {
    this.#accounts = accounts
    this.#onChange = onChange
  }

  /** The accounts this connection may use. */
  accounts(): Address[] {
    return this.#granted ? [...this.#accounts] : []
  }

  /** What is permitted, as wallets tell it (EIP-2255). */
  list(): RpcPermission[] {
    if (!this.#granted) return []
    const caveats = [{ type: 'restrictReturnedAccounts', value: this.accounts() }] as const
    return [{ invoker: 'http://localhost', parentCapability: 'eth_accounts', caveats }]
  }

  /** Permits the use of all accounts. */
  grant(): void {
    this.#set(true)
  }

  /** Takes the permission away. */
  revoke(): void {
    this.#set(false)
  }

  #set(granted: boolean): void {
    if (granted === this.#granted) return
    this.#granted = granted
    if (this.#accounts.length > 0) this.#onChange(this.accounts())
  }
}
