/**
 * A connection's permission to use the chain's accounts, as a wallet grants it to a page (EIP-2255).
 *
 * Owns: whether it is granted, initially true. Does not own the accounts or their keys.
 */

import type { PresealRpcPermission } from '../../base/rpcTypes.ts'
import type { Address } from '../../base/types.ts'
import type { Signers } from '../../core/accounts/signers.ts'
import type { DialectRules } from '../dialect.ts'

/** Grants and revokes the use of the chain's accounts for one connection. */
export class Permissions {
  readonly #signers: Pick<Signers, 'accounts'>
  readonly #listsImpersonated: boolean
  readonly #onChange: (accounts: Address[]) => void
  readonly #stopListening: () => void
  #granted = true

  /** @param onChange - called with the accounts that the connection may use, when they change. */
  constructor(
    signers: Pick<Signers, 'accounts' | 'onChange'>,
    { listsImpersonated }: Pick<DialectRules, 'listsImpersonated'>,
    onChange: (accounts: Address[]) => void,
  ) {
    this.#signers = signers
    this.#listsImpersonated = listsImpersonated
    this.#onChange = onChange
    this.#stopListening = signers.onChange(() => {
      // Only impersonation changes the accounts, so no change is visible if impersonated accounts are not listed.
      if (this.#granted && listsImpersonated) onChange(this.accounts())
    })
  }

  get granted(): boolean {
    return this.#granted
  }

  accounts(): Address[] {
    return this.#granted ? this.#listed() : []
  }

  /** Returns the granted permissions in the format of EIP-2255. */
  list(): PresealRpcPermission[] {
    if (!this.#granted) return []
    const caveats = [{ type: 'restrictReturnedAccounts', value: this.accounts() }] as const
    return [{ invoker: 'http://localhost', parentCapability: 'eth_accounts', caveats }]
  }

  grant(): void {
    this.#set(true)
  }

  revoke(): void {
    this.#set(false)
  }

  #set(granted: boolean): void {
    if (granted === this.#granted) return
    this.#granted = granted
    if (this.#listed().length > 0) this.#onChange(this.accounts())
  }

  #listed(): Address[] {
    return this.#signers.accounts(this.#listsImpersonated)
  }

  close(): void {
    this.#stopListening()
  }
}
