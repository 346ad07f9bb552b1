/** A chain that is closed at the end of its scope. */
import { createChain } from 'preseal'

// #region using
async function countAccounts(): Promise<number> {
  await using chain = await createChain()
  const accounts = await chain.live.request({ method: 'eth_accounts' })
  return accounts.length
}
// #endregion using

console.log(await countAccounts()) // => 10
