/** The code under test: sends ether, and answers as soon as the transfer is pre-confirmed. */
import type { PreconfActions } from 'preseal/viem'
import type { Account, Address, Chain, PublicActions, Transport, WalletClient } from 'viem'

/** A viem client on a chain with pre-confirmations. */
export type Client = WalletClient<Transport, Chain, Account> & PublicActions & PreconfActions

/** Sends ether. @returns the recipient's balance in wei once the transfer is pre-confirmed. */
export async function send(client: Client, to: Address, value: bigint): Promise<bigint> {
  const hash = await client.sendTransaction({ to, value })
  await client.waitForPreconfirmation({ hash })
  return client.getBalance({ address: to, blockTag: 'pending' })
}
